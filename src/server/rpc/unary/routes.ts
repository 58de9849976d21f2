/**
 * Unary calls on the RPC doors. The library's handlers cost several times what the call does, and decide by themselves
 * what to say of requests that they can't read; streams stay with them, where neither matters as much.
 */
import type { DescMethod, DescMethodUnary, Registry } from '@bufbuild/protobuf';
import type { ConnectError, ContextValues, Transport } from '@connectrpc/connect';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Problem } from '../../../base/problem.js';
import { clientSignal } from '../../../http/client-signal.js';
import { bytesOf, readBytes } from '../../../http/read-bytes.js';
import { toConnectError } from '../../../rpc/errors.js';
import { refuseUnary } from '../refusal.js';
import { decoded, encoded, encodingsOf } from './compression.js';
import { timeoutMsOf } from './deadline.js';
import { PREFIX_BYTES } from './envelope.js';
import { formatOf } from './formats.js';
import { getHandler, takesGet } from './get.js';
import { readRequest, writeAnswer } from './messages.js';

/** What unary calls are served with. */
export interface UnaryRoutesOptions {
  readonly methods: readonly DescMethodUnary[];
  /** Calls the corridor in process. */
  readonly transport: Transport;
  /** Most bytes of a message. */
  readonly limitOf: (method: DescMethod) => number;
  /** What the corridor is told of a request. */
  readonly contextValues?: (request: FastifyRequest) => ContextValues;
  /** The types that messages may carry as `google.protobuf.Any`; none when left out. */
  readonly registry?: Registry;
  /** How a Problem is told; with an ErrorDetail when left out. */
  readonly tell?: (problem: Problem, userId: string | undefined) => ConnectError;
}

/**
 * A Fastify plugin with a route for every unary method, which speaks Connect, gRPC and gRPC-Web, binary and JSON,
 * compressed and not, and a second one for Connect's GET of every method that only reads. Every failure carries an
 * ErrorDetail, but for those of the protocols themselves.
 */
export async function unaryRoutes(fastify: FastifyInstance, options: UnaryRoutesOptions): Promise<void> {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', readBytes);
  fastify.setErrorHandler(refuseUnary(options.tell ?? toConnectError));
  for (const method of options.methods) {
    const path = `/${method.parent.typeName}/${method.name}`;
    const bodyLimit = options.limitOf(method) + PREFIX_BYTES;
    fastify.post(path, { bodyLimit }, handler(method, options));
    if (takesGet(method)) fastify.get(path, getHandler(method, options));
  }
}

function handler(
  method: DescMethodUnary,
  { transport, limitOf, contextValues, registry }: UnaryRoutesOptions,
) {
  const limitBytes = limitOf(method);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const body = bytesOf(request);
    try {
      const { protocol, format } = formatOf(request.headers['content-type']);
      const encodings = encodingsOf(protocol, request, reply);
      const signal = clientSignal(reply, timeoutMsOf(protocol, request));
      const bytes = await decoded(protocol.unpack(body?.bytes ?? EMPTY), encodings, limitBytes);
      const message = await readRequest(method, bytes, format, registry);
      const values = contextValues?.(request);
      const answer = await transport.unary(method, signal, undefined, undefined, message, values);
      const { header, trailer } = answer;
      const contentType = protocol.contentTypes[format];
      const written = await encoded(writeAnswer(method, answer.message, format, registry), encodings);
      return protocol.send(reply, { ...written, contentType, header, trailer });
    } finally {
      body?.free();
    }
  };
}

const EMPTY = Buffer.alloc(0);
