import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Code, ConnectError } from '@connectrpc/connect';
import type { FastifyReply } from 'fastify';

/** The longest delay of a Node timer, about 25 days. */
export const MAX_DELAY_MS = 2 ** 31 - 1;

/**
 * A signal that aborts when the client disconnects before the answer has ended, on both HTTP versions, or when the
 * call's timeout has passed. Listeners must be removed when the answer ends: consecutive calls on an HTTP/1.1
 * connection share a signal, since creating one for each costs more than most of a call's own work.
 */
export function clientSignal(reply: FastifyReply, timeoutMs?: number): AbortSignal {
  const { raw } = reply;
  const connection = connectionOf(reply.request.raw);
  if (connection === undefined || timeoutMs !== undefined) return ownSignal(raw, timeoutMs, connection);
  // Pipelining: the previous answer has not ended.
  if (connection.response?.writableEnded === false) return ownSignal(raw, undefined, connection);
  connection.response = raw;
  return connection.signal;
}

/** A connection of HTTP/1.1. */
interface Connection {
  /** Shared by consecutive calls. */
  readonly signal: AbortSignal;
  /** The answer to the latest of them. */
  response: ServerResponse | undefined;
  /** Called when the connection ends: Node emits no 'close' on an answer that waits for the one before. */
  readonly onEnd: Set<() => void>;
}

const connections = new WeakMap<Socket, Connection>();

/** Undefined in HTTP/2, and where the connection has ended. */
function connectionOf({ socket, httpVersionMajor }: IncomingMessage): Connection | undefined {
  const known = connections.get(socket);
  if (known !== undefined || httpVersionMajor !== 1 || socket.destroyed) return known;
  const controller = new AbortController();
  const connection: Connection = { signal: controller.signal, response: undefined, onEnd: new Set() };
  connections.set(socket, connection);
  socket.once('close', () => {
    if (connection.response?.writableEnded === false) controller.abort(clientGone());
    for (const leave of connection.onEnd) leave();
  });
  return connection;
}

/**
 * As `clientSignal`, for a unary call on a stream of HTTP/2, whose answer is sent at once. The signal goes on to another call
 * once the answer has been sent, as those of HTTP/1.1 connections do.
 */
export function streamSignal(stream: UnaryStream, timeoutMs?: number): AbortSignal {
  const controller = unused.pop() ?? new AbortController();
  // Where the client resets the stream, Node ends the writable side itself before it closes.
  const leave = abortWith(controller, () => stream.headersSent, timeoutMs);
  stream.on('close', () => {
    leave();
    if (!controller.signal.aborted && unused.length < MAX_UNUSED) unused.push(controller);
  });
  return controller.signal;
}

/** Controllers of calls that have ended. */
const unused: AbortController[] = [];
const MAX_UNUSED = 1024;

function ownSignal(
  response: ServerResponse,
  timeoutMs: number | undefined,
  connection: Connection | undefined,
): AbortSignal {
  const controller = new AbortController();
  const leave = abortWith(controller, () => response.writableEnded, timeoutMs);
  connection?.onEnd.add(leave);
  response.on('close', () => {
    leave();
    connection?.onEnd.delete(leave);
  });
  return controller.signal;
}

interface UnaryStream {
  readonly headersSent: boolean;
  on(event: 'close', listener: () => void): unknown;
}

/** Aborts when the timeout has passed. The result is called when the answer is closed, and aborts unless it was sent. */
function abortWith(
  controller: AbortController,
  isSent: () => boolean,
  timeoutMs: number | undefined,
): () => void {
  const expire = () => controller.abort(new ConnectError('The deadline has passed', Code.DeadlineExceeded));
  const timer =
    timeoutMs === undefined ? undefined : setTimeout(expire, Math.min(timeoutMs, MAX_DELAY_MS)).unref();
  return () => {
    clearTimeout(timer);
    if (!isSent()) controller.abort(clientGone());
  };
}

function clientGone(): ConnectError {
  return new ConnectError('The client went away', Code.Canceled);
}
