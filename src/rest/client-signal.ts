import { Code, ConnectError } from '@connectrpc/connect';
import type { FastifyReply } from 'fastify';

/** The longest that a timer of Node can wait; about 25 days. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * A signal that fires when the client goes away before the answer has ended, on both HTTP versions, or when the time
 * is over that it gives the call.
 */
export function clientSignal(reply: FastifyReply, timeoutMs?: number): AbortSignal {
  const controller = new AbortController();
  const expire = () => controller.abort(new ConnectError('The deadline has passed', Code.DeadlineExceeded));
  const timer =
    timeoutMs === undefined ? undefined : setTimeout(expire, Math.min(timeoutMs, LONGEST_MS)).unref();
  reply.raw.once('close', () => {
    clearTimeout(timer);
    if (!reply.raw.writableEnded) controller.abort(new ConnectError('The client went away', Code.Canceled));
  });
  return controller.signal;
}
