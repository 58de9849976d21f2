/**
 * Answers errors of RPCs in the protocol of the client, with Connect's own encoders: refusals before the body is read,
 * and all errors of unary calls.
 */
import { ConnectError } from '@connectrpc/connect';
import {
  codeToHttpStatus,
  endStreamFlag,
  endStreamToJson,
  errorToJson,
} from '@connectrpc/connect/protocol-connect';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ErrorDetailSchema } from '../../../../gen/byway/v1/error_pb.js';
import { Problem } from '../../../base/problem.js';
import { problemOf, sendError } from '../../../http/error-envelope.js';
import { hijackReply } from '../../../http/hijack-reply.js';
import { envelopedTrailers, flagged } from './envelope.js';
import { statusTrailers } from './grpc-status.js';

/** Content types of unary calls, of streams, and of both. */
const RPC_FORMATS = [
  'application/json',
  'application/proto',
  'application/connect+json',
  'application/connect+proto',
  'application/grpc',
  'application/grpc+proto',
  'application/grpc+json',
  'application/grpc-web',
  'application/grpc-web+proto',
  'application/grpc-web+json',
];

/** Content types of RPCs: Connect (unary and streaming), gRPC, gRPC-Web. */
export const RPC_CONTENT_TYPE =
  /^application\/(?:json|proto|connect\+(?:json|proto)|grpc(?:-web(?:-text)?)?(?:\+(?:json|proto))?)(?:\s*;.*)?$/i;

/** For a content type that RPCs are not served in. */
export function unsupportedRpcType(): Problem {
  return new Problem('unsupported_media_type', `Content-Type must be one of ${RPC_FORMATS.join(', ')}`);
}

/** Answers a request of an unsupported content type with the error envelope: no RPC protocol has a form for it. */
export function refuseFormat(problem: Problem, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return sendError(problem, request, reply.header('Accept-Post', RPC_FORMATS.join(', ')));
}

/**
 * Answers with the error in the protocol of the request's content type. Another content type gets Connect's unary form
 * with the HTTP status of REST; so does a GET, which only Connect has.
 */
export function refuseRpc(reply: FastifyReply, error: ConnectError): FastifyReply {
  const { headers, method } = reply.request;
  const contentType = method === 'POST' ? headers['content-type'] : 'application/json';
  const type = contentType?.toLowerCase() ?? '';
  for (const [name, value] of error.metadata) reply.header(name, value);
  if (type.startsWith('application/grpc')) {
    for (const [name, value] of statusTrailers(error)) reply.header(name, value);
    return sendTrailersOnly(reply.code(200).header('content-type', contentType));
  }
  if (type.startsWith('application/connect+')) {
    return reply.code(200).header('content-type', contentType).send(endStream(error));
  }
  const body = JSON.stringify(errorToJson(error, undefined));
  return reply.code(statusOf(error, type)).header('content-type', 'application/json').send(body);
}

/** Turns a Problem into the error of an RPC. */
type ToError = (problem: Problem, userId: string | undefined) => ConnectError;

/** The error handler of unary calls: answers with whatever was thrown, and logs what no caller may see. */
export function refuseUnary(toError: ToError) {
  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (thrown instanceof ConnectError) return refuseCall(thrown, request, reply);
    const problem = problemOf(thrown);
    if (problem.reason === 'unsupported_media_type') return refuseFormat(problem, request, reply);
    if (problem.reason === 'internal') request.log.error({ err: thrown }, 'unexpected error');
    return refuseCall(toError(problem, request.userId), request, reply);
  };
}

function refuseCall(
  error: ConnectError,
  { headers, method }: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const contentType = headers['content-type'] ?? '';
  if (method !== 'POST' || !GRPC_WEB.test(contentType)) return refuseRpc(reply, error);
  // Not in headers, for which many violations would be too large.
  const body = envelopedTrailers(statusTrailers(error));
  return reply.code(200).header('content-type', contentType).send(body);
}

/** In base64 it would be text, which is refused as such. */
const GRPC_WEB = /^application\/grpc-web(?!-text)/i;

/**
 * gRPC's trailers-only answer: clients take the status from headers only where these end the stream, so the empty frame
 * that Fastify would send must not follow.
 */
function sendTrailersOnly(reply: FastifyReply): FastifyReply {
  const raw = hijackReply(reply);
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
