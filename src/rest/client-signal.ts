import { Code, ConnectError } from '@connectrpc/connect';
import type { FastifyReply } from 'fastify';

/** A signal that fires when the client goes away before the answer has ended, on both HTTP versions. */
export function clientSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableEnded) controller.abort(new ConnectError('The client went away', Code.Canceled));
  });
  return controller.signal;
}
