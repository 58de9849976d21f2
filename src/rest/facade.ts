/** The REST door: a client of the RPC core that knows descriptors and nothing of keys or models. */
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Plane } from '../../gen/byway/options/v1/options_pb.js';
import { collectGarbage, LARGE_BYTES } from '../base/collect-garbage.js';
import { type Aliases, type MessageWriter, messageWriters } from '../wire/write.js';
import { bodyLimitBytes, isJsonContentType, parseJsonBody } from './body.js';
import type { Core } from './core.js';
import { sendError, unsupportedMediaType } from './envelope.js';
import type { Operation } from './operation.js';
import { readBytes } from './read-bytes.js';
import { requestReader } from './read-request.js';
import { streamHandler } from './stream.js';
import { unaryHandler } from './unary.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The REST operation of the route; the gate takes roles and plane from it. */
    operation?: Operation;
  }
}

/** What the REST door is made of. */
export interface FacadeOptions extends Core {
  readonly operations: readonly Operation[];
  /** The operator's other names of members in answers. */
  readonly aliases: Aliases;
}

/**
 * A Fastify plugin with a route for every operation, HEAD included. Each route's config carries its operation.
 * Parsers and error handler hold for these routes only; the headers of every answer are the server's.
 */
export async function facade(fastify: FastifyInstance, options: FacadeOptions): Promise<void> {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', parseBody);
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

async function parseBody(request: FastifyRequest, payload: Readable): Promise<unknown> {
  const announced = Number(request.headers['content-length'] ?? Number.NaN);
  const body = await readBytes(payload, { limit: request.routeOptions.bodyLimit, announced });
  try {
    if (!isJsonContentType(request.headers['content-type'] ?? '')) throw unsupportedMediaType();
    const plane = request.routeOptions.config.operation?.rule.plane ?? Plane.UNSPECIFIED;
    return parseJsonBody(body.bytes, plane);
  } finally {
    body.free();
  }
}

type WriterOf = (desc: Operation['method']['output']) => MessageWriter;

function routeHandler(operation: Operation, writerOf: WriterOf, core: Core) {
  const readRequest = requestReader(operation);
  const answerUnary = unaryHandler(operation, writerOf(operation.method.output), core);
  const answerStream = streamHandler(
    operation,
    writerOf((operation.stream ?? operation).method.output),
    core,
  );
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { method, message } = readRequest(request);
    // The message says all of it.
    request.body = undefined;
    if (Number(request.headers['content-length']) > LARGE_BYTES) collectGarbage();
    return method.methodKind === 'unary'
      ? answerUnary(method, message, request, reply)
      : answerStream(method, message, request, reply);
  };
}
