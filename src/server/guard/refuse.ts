import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../base/problem.js';
import { sendError } from '../../http/error-envelope.js';
import { toConnectError } from '../../rpc/errors.js';
import { pathOf } from '../port/public-path.js';
import { refuseFormat, refuseRpc } from '../rpc/wire/refusal.js';
import type { RpcPath } from './rpc-paths.js';

/** Answers with a Problem in the form that the request's client reads. Rejects with anything else. */
export type RefuseRequest = (
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<unknown>;

export function createRefuseRequest(rpcPaths: ReadonlyMap<string, RpcPath>): RefuseRequest {
  return async (thrown, request, reply) => {
    if (!(thrown instanceof Problem)) throw thrown;
    const error = toConnectError(thrown, request.userId);
    if (!isCall(request, rpcPaths.get(pathOf(request.url)))) return sendError(error, request, reply);
    if (thrown.reason === 'unsupported_media_type') return refuseFormat(thrown, request, reply);
    return refuseRpc(reply, error);
  };
}

/** Whether the request calls the method at its path. */
export function isCall({ method }: FastifyRequest, rpc: RpcPath | undefined): boolean {
  return rpc?.httpMethods.includes(method) === true;
}
