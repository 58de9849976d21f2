import type { DescMessage, DescMethod, Message, MessageInitShape } from '@bufbuild/protobuf';
import { type ContextValues, createContextValues, type Transport } from '@connectrpc/connect';
import Fastify, { type FastifyInstance } from 'fastify';
import { AccountService } from '../../gen/byway/v1/accounts_pb.js';
import { ByokService } from '../../gen/byway/v1/byok_pb.js';
import { ChatService } from '../../gen/byway/v1/chat_pb.js';
import { GenerationService } from '../../gen/byway/v1/generations_pb.js';
import { KeyService } from '../../gen/byway/v1/keys_pb.js';
import { ModelService } from '../../gen/byway/v1/models_pb.js';
import { RoutingService } from '../../gen/byway/v1/routing_pb.js';
import { APIS } from '../../src/compose/apis.js';
import { sendError } from '../../src/http/error-envelope.js';
import { FIXED_HEADERS } from '../../src/http/headers.js';
import { AnswerCache } from '../../src/rest/answer-cache.js';
import { apiOfRequests } from '../../src/rest/api-of.js';
import { compileOperations } from '../../src/rest/compile.js';
import { allowedMethods, refuseUnknownPaths } from '../../src/rest/not-found.js';
import type { Operation } from '../../src/rest/operation.js';
import { type RestPluginOptions, restPlugin } from '../../src/rest/rest-plugin.js';

/** A call that reached the stub. */
export interface Call {
  readonly method: DescMethod;
  readonly message: Message & Record<string, unknown>;
  readonly signal: AbortSignal | undefined;
  readonly contextValues: ContextValues | undefined;
}

/** What the stub answers; headers beside it. */
export interface StubAnswers {
  readonly unary?: (call: Call, header: Headers) => Promise<Message> | Message;
  readonly stream?: (call: Call, header: Headers) => AsyncIterable<Message>;
}

/** Every operation of the contract. */
export const operations: readonly Operation[] = compileOperations([
  ModelService,
  KeyService,
  ByokService,
  AccountService,
  RoutingService,
  ChatService,
  GenerationService,
]);

/** A transport that records calls and gives the stubbed answers. */
function stubTransport(answers: StubAnswers, calls: Call[]): RestPluginOptions['transport'] {
  const common = (method: DescMethod) => ({
    service: method.parent,
    header: new Headers(),
    trailer: new Headers(),
  });
  const transport = {
    async unary(
      method: DescMethod,
      signal: AbortSignal | undefined,
      _t: unknown,
      _h: unknown,
      input: MessageInitShape<DescMessage>,
      contextValues?: ContextValues,
    ) {
      const call = { method, message: input as Call['message'], signal, contextValues };
      calls.push(call);
      const fields = common(method);
      if (answers.unary === undefined) throw new Error('no unary answer');
      return { ...fields, method, stream: false, message: await answers.unary(call, fields.header) };
    },
    async stream(
      method: DescMethod,
      signal: AbortSignal | undefined,
      _t: unknown,
      _h: unknown,
      input: AsyncIterable<MessageInitShape<DescMessage>>,
      contextValues?: ContextValues,
    ) {
      for await (const message of input) {
        const call = { method, message: message as Call['message'], signal, contextValues };
        calls.push(call);
        const fields = common(method);
        if (answers.stream === undefined) throw new Error('no stream answer');
        return { ...fields, method, stream: true, message: answers.stream(call, fields.header) };
      }
      throw new Error('no request message');
    },
  };
  // The stub answers with the messages that the test made; their types are the test's business.
  return { ...(transport as unknown as Transport), isOpen: () => false };
}

/** A server with the REST plugin before the stub, wired as in production. */
export async function serve(
  answers: StubAnswers,
  ownOperations: readonly Operation[] = operations,
  http2 = false,
) {
  const calls: Call[] = [];
  const seen: (string | undefined)[] = [];
  const fastify = http2
    ? http2Server()
    : Fastify({ frameworkErrors: sendError, forceCloseConnections: true });
  fastify.setErrorHandler(sendError);
  fastify.decorate('conventionsOf', apiOfRequests(ownOperations, APIS));
  fastify.addHook('onRequest', async (_, reply) => void reply.headers(FIXED_HEADERS));
  fastify.addHook(
    'onRequest',
    refuseUnknownPaths(allowedMethods(ownOperations), ({ protocol, host }) => `${protocol}://${host}`),
  );
  fastify.addHook('onRequest', async ({ routeOptions }) => {
    seen.push(routeOptions.config.operation?.id);
  });
  await fastify.register(restPlugin, {
    operations: ownOperations,
    answers: new AnswerCache(),
    pingMs: 0,
    apis: APIS,
    transport: stubTransport(answers, calls),
    contextValues: () => createContextValues(),
    aliases: new Map(),
  });
  await fastify.ready();
  return { fastify, calls, seen };
}

/** Handlers are written against the interface that both HTTP versions share. */
function http2Server(): FastifyInstance {
  return Fastify({ http2: true }) as unknown as FastifyInstance;
}
