/**
 * Unary calls on the RPC doors. The library's handlers cost several times what the call does, and decide by themselves
 * what to say of requests that they can't read; streams stay with them, where neither matters as much.
 */
import { type DescMethodUnary, getOption } from '@bufbuild/protobuf';
import type { ContextValues, Transport } from '@connectrpc/connect';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { method as methodOption } from '../../../gen/byway/options/v1/options_pb.js';
import { bodyLimitBytes } from '../../rest/body.js';
import { clientSignal } from '../../rest/client-signal.js';
import { bytesOf, readBytes } from '../../rest/read-bytes.js';
import { refuseUnary } from '../rpc-refusal.js';
import { decoded, encoded, encodingsOf } from './compression.js';
import { formatOf } from './formats.js';
import { readRequest, writeAnswer } from './messages.js';
import type { UnaryProtocol } from './protocol.js';

/** What unary calls are served with. */
export interface UnaryRoutesOptions {
  readonly methods: readonly DescMethodUnary[];
  /** Calls the corridor in process. */
  readonly transport: Transport;
  /** What the corridor is told of a request. */
  readonly contextValues?: (request: FastifyRequest) => ContextValues;
}

/**
 * A Fastify plugin with a route for every unary method, which speaks Connect, gRPC and gRPC-Web, binary and JSON,
 * compressed and not. Every failure carries an ErrorDetail.
 */
export async function unaryRoutes(fastify: FastifyInstance, options: UnaryRoutesOptions): Promise<void> {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', readBytes);
  fastify.setErrorHandler(refuseUnary);
  for (const method of options.methods) {
    const bodyLimit = bodyLimitBytes(getOption(method, methodOption).plane);
    fastify.post(
      `/${method.parent.typeName}/${method.name}`,
      { bodyLimit },
      handler(method, bodyLimit, options),
    );
  }
}

function handler(
  method: DescMethodUnary,
  bodyLimit: number,
  { transport, contextValues }: UnaryRoutesOptions,
) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const body = bytesOf(request);
    try {
      const { protocol, format } = formatOf(request.headers['content-type']);
      const encodings = encodingsOf(protocol, request, reply);
      const signal = clientSignal(reply, timeoutMsOf(protocol, request));
      const bytes = await decoded(protocol.unpack(body?.bytes ?? EMPTY), encodings, bodyLimit);
      const message = await readRequest(method, bytes, format);
      const values = contextValues?.(request);
      const answer = await transport.unary(method, signal, undefined, undefined, message, values);
      const { header, trailer } = answer;
      const contentType = protocol.contentTypes[format];
      const written = await encoded(writeAnswer(method, answer.message, format), encodings);
      return protocol.send(reply, { ...written, contentType, header, trailer });
    } finally {
      body?.free();
    }
  };
}

function timeoutMsOf({ headers, timeoutMs }: UnaryProtocol, request: FastifyRequest): number | undefined {
  const value = request.headers[headers.timeout];
  return value === undefined ? undefined : timeoutMs(String(value));
}

const EMPTY = Buffer.alloc(0);
