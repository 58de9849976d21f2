/** The REST door: a client of the RPC core that knows descriptors and nothing of keys or models. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { runInSlices } from '../base/time-slices.js';
import { bodyLimitBytes, elementBounds, isJsonContentType, parseJsonBody } from '../http/body.js';
import { sendError, unsupportedMediaType } from '../http/envelope.js';
import { bytesOf, readBytes } from '../http/read-bytes.js';
import { type Aliases, type MessageWriter, messageWriters } from '../protobuf/write.js';
import type { Core } from './core.js';
import type { Operation } from './operation.js';
import { type RpcCall, requestReader } from './read-request.js';
import { streamHandler } from './stream.js';
import { unaryHandler } from './unary.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The REST operation of the route; the gate takes roles and plane from it. */
    operation?: Operation;
  }
}

/** What the REST door is made of. */
export interface RestPluginOptions extends Core {
  readonly operations: readonly Operation[];
  /** The operator's other names of members in answers. */
  readonly aliases: Aliases;
}

/**
 * A Fastify plugin with a route for every operation, HEAD included. Each route's config carries its operation.
 * Parsers and error handler hold for these routes only; the headers of every answer are the server's.
 */
export async function restPlugin(fastify: FastifyInstance, options: RestPluginOptions): Promise<void> {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', readBytes);
  fastify.setErrorHandler(sendError);
  const writerOf = messageWriters(options.aliases);
  for (const operation of options.operations) {
    fastify.route({
      method: operation.httpMethod,
      url: operation.fastifyPath,
      exposeHeadRoute: true,
      bodyLimit: bodyLimitBytes(operation.rule.plane),
      config: { operation },
      handler: routeHandler(operation, writerOf, options),
    });
  }
}

type WriterOf = (desc: Operation['method']['output']) => MessageWriter;

function routeHandler(operation: Operation, writerOf: WriterOf, core: Core) {
  const readCall = callReader(operation);
  const answerUnary = unaryHandler(operation, writerOf(operation.method.output), core);
  const answerStream = streamHandler(
    operation,
    writerOf((operation.stream ?? operation).method.output),
    core,
  );
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    try {
      const { method, message } = await readCall(request);
      return method.methodKind === 'unary'
        ? await answerUnary(method, message, request, reply)
        : await answerStream(method, message, request, reply);
    } finally {
      bytesOf(request)?.free();
    }
  };
}

/** Reads requests; the bytes of the body are let go of unless the message goes on being read from them. */
function callReader(operation: Operation): (request: FastifyRequest) => Promise<RpcCall> {
  const readRequest = requestReader(operation);
  const { plane } = operation.rule;
  return async (request) => {
    const body = bytesOf(request);
    if (body === undefined) return runInSlices(readRequest(request, undefined));
    if (!isJsonContentType(request.headers['content-type'] ?? '')) throw unsupportedMediaType();
    const json = await parseJsonBody(body.bytes, plane);
    if (elementBounds(plane) === undefined) body.free();
    return runInSlices(readRequest(request, json));
  };
}
