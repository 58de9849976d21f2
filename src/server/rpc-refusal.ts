/**
 * Refuses an RPC before its body is read, in the protocol that the client speaks. Connect's own handlers parse
 * the message first, so a refusal that must come earlier is written here, with Connect's own encoders.
 */
import type { ConnectError } from '@connectrpc/connect';
import {
  codeToHttpStatus,
  endStreamFlag,
  endStreamToJson,
  errorToJson,
} from '@connectrpc/connect/protocol-connect';
import { setTrailerStatus } from '@connectrpc/connect/protocol-grpc';
import type { FastifyReply } from 'fastify';
import { ErrorDetailSchema } from '../../gen/byway/v1/error_pb.js';

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

/**
 * gRPC's trailers-only answer: its clients take the status from headers only where these end the stream, so no
 * empty frame may follow, which Fastify would send.
 */
function sendHeadersAlone(reply: FastifyReply): FastifyReply {
  reply.hijack();
  reply.raw.statusCode = reply.statusCode;
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  reply.raw.end();
  return reply;
}

function statusOf(error: ConnectError, type: string): number {
  const [detail] = error.findDetails(ErrorDetailSchema);
  if (detail === undefined || RPC_CONTENT_TYPE.test(type)) return codeToHttpStatus(error.code);
  return detail.httpStatus;
}

/** The one envelope of a refused stream: flags, length, JSON (https://connectrpc.com/docs/protocol#error-end-stream). */
function endStream(error: ConnectError): Buffer {
  const json = Buffer.from(JSON.stringify(endStreamToJson(new Headers(), error, undefined)));
  const prefix = Buffer.alloc(5);
  prefix.writeUInt8(endStreamFlag, 0);
  prefix.writeUInt32BE(json.length, 1);
  return Buffer.concat([prefix, json]);
}
