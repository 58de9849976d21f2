import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Code, ConnectError } from '@connectrpc/connect';
import type { FastifyReply } from 'fastify';

/** The longest that a timer of Node can wait; about 25 days. */
export const MAX_DELAY_MS = 2 ** 31 - 1;

/**
 * A signal that fires when the client goes away before the answer has ended, on both HTTP versions, or when the time
 * is over that it gives the call. Nobody may listen beyond the answer: calls that follow each other on a connection of
 * HTTP/1.1 share a signal, since making one for each would cost more than most of what is done for a call.
 */
export function clientSignal(reply: FastifyReply, timeoutMs?: number): AbortSignal {
  const { raw } = reply;
  const connection = connectionOf(reply.request.raw);
  if (connection === undefined || timeoutMs !== undefined) return ownSignal(raw, timeoutMs, connection);
  // A client may send a request before the last answer has ended.
  if (connection.response?.writableEnded === false) return ownSignal(raw, undefined, connection);
  connection.response = raw;
  return connection.signal;
}

/** A connection of HTTP/1.1. */
interface Connection {
  /** Of calls that follow each other. */
  readonly signal: AbortSignal;
  /** The answer to the last one of them. */
  response: ServerResponse | undefined;
  /** To be told of the connection's end: node does not tell answers that wait for the one before. */
  readonly others: Set<() => void>;
}

const connections = new WeakMap<Socket, Connection>();

/** Undefined in HTTP/2, and where the connection has ended. */
function connectionOf({ socket, httpVersionMajor }: IncomingMessage): Connection | undefined {
  const known = connections.get(socket);
  if (known !== undefined || httpVersionMajor !== 1 || socket.destroyed) return known;
  const controller = new AbortController();
  const connection: Connection = { signal: controller.signal, response: undefined, others: new Set() };
  connections.set(socket, connection);
  socket.once('close', () => {
    if (connection.response?.writableEnded === false) controller.abort(clientGone());
    for (const leave of connection.others) leave();
  });
  return connection;
}

function ownSignal(
  response: ServerResponse,
  timeoutMs: number | undefined,
  connection: Connection | undefined,
): AbortSignal {
  const controller = new AbortController();
  const expire = () => controller.abort(new ConnectError('The deadline has passed', Code.DeadlineExceeded));
  const timer =
    timeoutMs === undefined ? undefined : setTimeout(expire, Math.min(timeoutMs, MAX_DELAY_MS)).unref();
  const leave = () => {
    clearTimeout(timer);
    connection?.others.delete(leave);
    if (!response.writableEnded) controller.abort(clientGone());
  };
  connection?.others.add(leave);
  response.once('close', leave);
  return controller.signal;
}

function clientGone(): ConnectError {
  return new ConnectError('The client went away', Code.Canceled);
}
