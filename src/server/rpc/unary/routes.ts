/**
 * Serves unary RPCs. The library's handlers cost several times as much as the call itself, and answer unreadable
 * requests in their own words (docs/adr/0003-own-unary-rpc-code.md). Streams stay with them, since neither matters as
 * much there.
 */

import type { DescMethodUnary } from '@bufbuild/protobuf';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { clientSignal } from '../../../http/client-signal.js';
import { serviceHeadersOf } from '../../../http/headers.js';
import { bytesOf, readBytes } from '../../../http/read-bytes.js';
import { toConnectError } from '../../../rpc/errors.js';
import { takesGet } from '../../guard/rpc-paths.js';
import { decoded, encodingsOf } from '../wire/compression.js';
import { timeoutMsOf } from '../wire/deadline.js';
import { PREFIX_BYTES } from '../wire/envelope.js';
import { refuseUnary } from '../wire/refusal.js';
import { answerWriter } from './answers.js';
import { formatOf } from './formats.js';
import { getHandler } from './get.js';
import { routeGrpcStreams } from './grpc-stream.js';
import type { UnaryRoutesOptions } from './options.js';
import { readRequest } from './read-message.js';

/**
 * A Fastify plugin with a route for every unary method, which speaks Connect, gRPC and gRPC-Web, binary and JSON,
 * compressed and not, and a second one for Connect's GET of every method that only reads. Every failure carries an
 * ErrorDetail, except errors of the protocols themselves.
 */
export async function unaryRoutes(fastify: FastifyInstance, options: UnaryRoutesOptions): Promise<void> {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', readBytes);
  fastify.setErrorHandler(refuseUnary(options.toError ?? toConnectError));
  for (const method of options.methods) {
    const path = `/${method.parent.typeName}/${method.name}`;
    const bodyLimit = options.limitOf(method) + PREFIX_BYTES;
    fastify.post(path, { bodyLimit }, handler(method, options));
    if (takesGet(method)) fastify.get(path, getHandler(method, options));
    if (options.streams !== undefined) routeGrpcStreams(method, options, options.streams);
  }
}

function handler(method: DescMethodUnary, options: UnaryRoutesOptions) {
  const { transport, limitOf, contextValues, registry } = options;
  const limitBytes = limitOf(method);
  const writer = answerWriter(method, options);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const body = bytesOf(request);
    try {
      const { protocol, format } = formatOf(request.headers['content-type']);
      const encodings = encodingsOf(protocol, request, reply);
      const signal = clientSignal(reply, timeoutMsOf(protocol, request));
      const sent = await decoded(protocol.unpack(body?.bytes ?? EMPTY), encodings, limitBytes, body);
      const message = await readRequest(method, sent, format, registry);
      const values = contextValues?.(request);
      const headers = serviceHeadersOf(request);
      const answer = await transport.unary(method, signal, undefined, headers, message, values);
      const { header, trailer } = answer;
      const contentType = protocol.contentTypes[format];
      const { bytes, encoding } = await writer.write(answer.message, format, encodings);
      return protocol.send(reply, { contentType, bytes, encoding, header, trailer });
    } finally {
      body?.done();
    }
  };
}

const EMPTY = Buffer.alloc(0);
