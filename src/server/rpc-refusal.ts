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

/** Content types of the RPC doors: Connect (unary and streaming), gRPC, gRPC-Web. */
export const RPC_CONTENT_TYPE =
  /^application\/(?:json|proto|connect\+(?:json|proto)|grpc(?:-web(?:-text)?)?(?:\+(?:json|proto))?)(?:\s*;.*)?$/i;

/** Answers with the error in the protocol of the request's content type; what is no RPC content type gets Connect's unary form. */
export function refuseRpc(reply: FastifyReply, contentType: string | undefined, error: ConnectError): FastifyReply {
  const type = contentType?.toLowerCase() ?? '';
  for (const [name, value] of error.metadata) reply.header(name, value);
  if (type.startsWith('application/grpc')) {
    const status = setTrailerStatus(new Headers(), error);
    reply.code(200).header('content-type', contentType);
    for (const [name, value] of status) reply.header(name, value);
    return reply.send('');
  }
  if (type.startsWith('application/connect+')) {
    return reply.code(200).header('content-type', contentType).send(endStream(error));
  }
  const body = JSON.stringify(errorToJson(error, undefined));
  return reply.code(codeToHttpStatus(error.code)).header('content-type', 'application/json').send(body);
}

/** The one envelope of a refused stream: flags, length, JSON (https://connectrpc.com/docs/protocol#error-end-stream). */
function endStream(error: ConnectError): Buffer {
  const json = Buffer.from(JSON.stringify(endStreamToJson(new Headers(), error, undefined)));
  const prefix = Buffer.alloc(5);
  prefix.writeUInt8(endStreamFlag, 0);
  prefix.writeUInt32BE(json.length, 1);
  return Buffer.concat([prefix, json]);
}
