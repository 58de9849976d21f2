/**
 * Refuses an RPC in the protocol that the client speaks: before its body is read, and unary ones whenever they fail.
 * It is written with Connect's own encoders.
 */
import { ConnectError } from '@connectrpc/connect';
import {
  codeToHttpStatus,
  endStreamFlag,
  endStreamToJson,
  errorToJson,
} from '@connectrpc/connect/protocol-connect';
import { setTrailerStatus } from '@connectrpc/connect/protocol-grpc';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ErrorDetailSchema } from '../../gen/byway/v1/error_pb.js';
import { problemOf } from '../rest/envelope.js';
import { takeOver } from '../rest/take-over.js';
import { toConnectError } from '../rpc/errors.js';
import { flagged, trailerEnvelope } from './unary/envelope.js';

/** Content types of the RPC doors: Connect (unary and streaming), gRPC, gRPC-Web. */
export const RPC_CONTENT_TYPE =
  /^application\/(?:json|proto|connect\+(?:json|proto)|grpc(?:-web(?:-text)?)?(?:\+(?:json|proto))?)(?:\s*;.*)?$/i;

/**
 * Answers with the error in the protocol of the request's content type; what is no RPC content type gets Connect's
 * unary form with the status that the REST door would answer with.
 */
export function refuseRpc(
  reply: FastifyReply,
  contentType: string | undefined,
  error: ConnectError,
): FastifyReply {
  const type = contentType?.toLowerCase() ?? '';
  for (const [name, value] of error.metadata) reply.header(name, value);
  if (type.startsWith('application/grpc')) {
    for (const [name, value] of setTrailerStatus(new Headers(), error)) reply.header(name, value);
    return sendHeadersAlone(reply.code(200).header('content-type', contentType));
  }
  if (type.startsWith('application/connect+')) {
    return reply.code(200).header('content-type', contentType).send(endStream(error));
  }
  const body = JSON.stringify(errorToJson(error, undefined));
  return reply.code(statusOf(error, type)).header('content-type', 'application/json').send(body);
}

/** The error handler of unary calls: answers with whatever was thrown, and logs what no caller may see. */
export function refuseUnary(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const contentType = request.headers['content-type'];
  const error = unaryError(thrown, request);
  if (!GRPC_WEB.test(contentType ?? '')) return refuseRpc(reply, contentType, error);
  // Not in headers, which many violations would be too large for.
  const body = trailerEnvelope(setTrailerStatus(new Headers(), error));
  return reply.code(200).header('content-type', contentType).send(body);
}

function unaryError(thrown: unknown, { userId, log }: FastifyRequest): ConnectError {
  if (thrown instanceof ConnectError) return thrown;
  const problem = problemOf(thrown);
  if (problem.reason === 'internal') log.error({ err: thrown }, 'unexpected error');
  return toConnectError(problem, userId);
}

/** In base64 it would be text, which is refused as such. */
const GRPC_WEB = /^application\/grpc-web(?!-text)/i;

/**
 * gRPC's trailers-only answer: its clients take the status from headers only where these end the stream, so no
 * empty frame may follow, which Fastify would send.
 */
function sendHeadersAlone(reply: FastifyReply): FastifyReply {
  const raw = takeOver(reply);
  raw.statusCode = reply.statusCode;
  raw.end();
  return reply;
}

function statusOf(error: ConnectError, type: string): number {
  const [detail] = error.findDetails(ErrorDetailSchema);
  if (detail === undefined || RPC_CONTENT_TYPE.test(type)) return codeToHttpStatus(error.code);
  return detail.httpStatus;
}

/** The one envelope of a refused stream (https://connectrpc.com/docs/protocol#error-end-stream). */
function endStream(error: ConnectError): Buffer {
  return flagged(
    endStreamFlag,
    Buffer.from(JSON.stringify(endStreamToJson(new Headers(), error, undefined))),
  );
}
