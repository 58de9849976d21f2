import { contentTypeJson, contentTypeProto, parseTimeout } from '@connectrpc/connect/protocol-grpc';
import type { FastifyReply } from 'fastify';
import { hijackReply } from '../../../http/hijack-reply.js';
import { parsedTimeoutMs } from '../wire/deadline.js';
import { enveloped, onlyMessageIn } from '../wire/envelope.js';
import type { UnaryAnswer, UnaryProtocol } from '../wire/protocol.js';

/** gRPC: an enveloped message, and the status in trailers. */
export const grpc: UnaryProtocol = {
  headers: {
    timeout: 'grpc-timeout',
    encoding: 'grpc-encoding',
    acceptEncoding: 'grpc-accept-encoding',
  },
  contentTypes: { protobuf: contentTypeProto, json: contentTypeJson },
  timeoutMs: (value) => parsedTimeoutMs(parseTimeout(value, Number.POSITIVE_INFINITY)),
  unpack: onlyMessageIn,
  send,
};

/** Hijacks the reply, since Fastify has no trailers. */
function send(
  reply: FastifyReply,
  { contentType, bytes, encoding, header, trailer }: UnaryAnswer,
): FastifyReply {
  const raw = hijackReply(reply);
  for (const [name, value] of header) raw.setHeader(name, value);
  if (encoding !== null) raw.setHeader('grpc-encoding', encoding);
  raw.setHeader('content-type', contentType);
  raw.writeHead(200);
  // Not as an argument of `end`: HTTP/1.1 would then set Content-Length and drop the trailers.
  raw.write(enveloped(bytes, encoding !== null));
  raw.addTrailers({ ...Object.fromEntries(trailer), 'grpc-status': '0' });
  raw.end();
  return reply;
}
