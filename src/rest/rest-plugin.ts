/** The REST plugin: a client of the RPC core that knows descriptors and nothing of keys or models. */
import type { JsonValue } from '@bufbuild/protobuf';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { runInSlices, runToEnd } from '../base/time-slices.js';
import { type ApiConventions, conventionsOf } from '../http/api-conventions.js';
import { bodyLimitBytes, elementLimits, isJsonContentType, parseJsonBody } from '../http/body.js';
import { sendError, unsupportedMediaType } from '../http/error-envelope.js';
import { bytesOf, readBytes } from '../http/read-bytes.js';
import { isJsonObject } from '../protobuf/members.js';
import { type MessageWriter, messageWriters } from '../protobuf/write.js';
import type { Core } from './core.js';
import type { Operation } from './operation.js';
import { openRequestReader, openWriter } from './read-open-request.js';
import { type RpcCall, requestReader } from './read-request.js';
import { streamHandler } from './stream.js';
import { unaryHandler } from './unary.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The REST operation of the route; the request guard takes roles and traffic class from it. */
    operation?: Operation;
  }
}

export interface RestPluginOptions extends Core {
  readonly operations: readonly Operation[];
}

/**
 * A Fastify plugin with a route for every operation, HEAD included. Each route's config carries its operation.
 * Parsers and error handler are for these routes only; the server sets the headers of every answer.
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

function routeHandler(operation: Operation, writerOf: WriterOf, core: RestPluginOptions) {
  const isOpen = core.transport.isOpen(operation.method);
  const readCall = callReader(operation, isOpen, conventionsOf(core.apis, operation.rule.api)?.ownForm);
  const writer = ({ output }: Operation['method']) =>
    isOpen ? openWriter(output, core.aliases, writerOf(output)) : writerOf(output);
  const answerUnary = unaryHandler(operation, writer(operation.method), core);
  const answerStream = streamHandler(operation, writer((operation.stream ?? operation).method), core);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    try {
      const { method, message } = await readCall(request);
      return method.methodKind === 'unary'
        ? await answerUnary(method, message, request, reply)
        : await answerStream(method, message, request, reply);
    } finally {
      bytesOf(request)?.done();
    }
  };
}

/** Reads requests, and frees the body's bytes at once unless lazy lists of the message are read from them later. */
function callReader(
  operation: Operation,
  isOpen: boolean,
  ownForm: ApiConventions['ownForm'] = (body) => body,
): (request: FastifyRequest) => Promise<RpcCall> {
  const reader = requestReader(operation);
  const readRequest = isOpen ? openRequestReader(operation, reader) : reader;
  const { plane } = operation.rule;
  return async (request) => {
    const body = bytesOf(request);
    if (body === undefined) return runToEnd(readRequest(request, undefined));
    if (!isJsonContentType(request.headers['content-type'] ?? '')) throw unsupportedMediaType();
    const json = await parseJsonBody(body.bytes, plane);
    if (elementLimits(plane) === undefined) body.free();
    const read = isJsonObject(json) ? (ownForm(json) as JsonValue) : json;
    return runInSlices(readRequest(request, read));
  };
}
