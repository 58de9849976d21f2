import type { Socket } from 'node:net';
import { Code, ConnectError } from '@connectrpc/connect';
import type { FastifyReply } from 'fastify';
import { SignalSource } from '../base/signal.js';

/** The longest delay of a Node timer, about 25 days. */
export const MAX_DELAY_MS = 2 ** 31 - 1;

/**
 * A signal that aborts when the client disconnects before the answer has ended, on both HTTP versions, or when the
 * call's timeout has passed. See `docs/adr/0008-own-abort-signal.md`.
 */
export function clientSignal({ raw, request }: FastifyReply, timeoutMs?: number): AbortSignal {
  const { signal, leave } = abortable(() => raw.writableEnded, timeoutMs);
  raw.on('close', leave);
  if (raw.destroyed) leave();
  else if (request.raw.httpVersionMajor === 1 && raw.socket === null) {
    const { socket } = request.raw;
    const waiting = waitingOn(socket);
    waiting.add(leave);
    raw.on('close', () => waiting.delete(leave));
    if (socket.destroyed) leave();
  }
  return signal;
}

/** What leaves the calls whose answers wait for the one before on their connection: Node emits no 'close' on those. */
const waitingCalls = new WeakMap<Socket, Set<() => void>>();

function waitingOn(socket: Socket): Set<() => void> {
  const known = waitingCalls.get(socket);
  if (known !== undefined) return known;
  const waiting = new Set<() => void>();
  waitingCalls.set(socket, waiting);
  socket.once('close', () => {
    for (const leave of waiting) leave();
  });
  return waiting;
}

/** As `clientSignal`, for a unary call on a stream of HTTP/2, whose answer is sent at once. */
export function streamSignal(stream: UnaryStream, timeoutMs?: number): AbortSignal {
  // Where the client resets the stream, Node ends the writable side itself before it closes.
  const { signal, leave } = abortable(() => stream.headersSent, timeoutMs);
  stream.on('close', leave);
  return signal;
}

interface UnaryStream {
  readonly headersSent: boolean;
  on(event: 'close', listener: () => void): unknown;
}

/** A signal, and what is to be called when the answer is closed: it aborts unless the answer was sent. */
function abortable(isSent: () => boolean, timeoutMs: number | undefined) {
  const source = new SignalSource();
  const expire = () => source.abort(new ConnectError('The deadline has passed', Code.DeadlineExceeded));
  const timer =
    timeoutMs === undefined ? undefined : setTimeout(expire, Math.min(timeoutMs, MAX_DELAY_MS)).unref();
  const leave = () => {
    clearTimeout(timer);
    if (!isSent()) source.abort(new ConnectError('The client went away', Code.Canceled));
  };
  // Connect's types ask for the platform's signal; services ask no more of theirs than a `Signal` has.
  return { signal: source as unknown as AbortSignal, leave };
}
