/** The service that the conformance suite calls: it answers as each request defines, and echoes the request. */
import { setTimeout as delay } from 'node:timers/promises';
import { create, type Message } from '@bufbuild/protobuf';
import { type Any, anyPack } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, createContextKey, type HandlerContext } from '@connectrpc/connect';
import { parseTimeout as parseConnectTimeout } from '@connectrpc/connect/protocol-connect';
import { parseTimeout as parseGrpcTimeout } from '@connectrpc/connect/protocol-grpc';
import { defineService, type ServiceDefinition } from '../../src/rpc/define-service.js';
import type { CallRequest } from '../../src/server/rpc/unary/options.js';
import type { Definition, Schema, StreamDefinition, SuiteHeader, UnaryDefinition } from './schema.js';

/** The request that a call came in. */
export const requestKey = createContextKey<CallRequest | undefined>(undefined);

type UnaryRequest = Message & { readonly responseDefinition?: UnaryDefinition };
type StreamRequest = Message & { readonly responseDefinition?: StreamDefinition };

/** The service, for servers of unary calls and server streams. */
export function conformanceService(schema: Schema): ServiceDefinition {
  const unary = async (request: UnaryRequest, context: HandlerContext) => {
    const { responseDefinition: definition } = request;
    const info = requestInfo(schema, request, context);
    if (definition?.response.case === 'error') {
      await pause(definition, context);
      throw suiteError(schema, definition.response.value, info, definition);
    }
    await announce(definition, context);
    return { payload: payload(schema, { data: definition?.response.value, requestInfo: info }) };
  };
  const unserved = () => {
    throw new ConnectError('not served', Code.Unimplemented);
  };
  return defineService(schema.service, {
    unary,
    idempotentUnary: unary,
    unimplemented: unserved,
    clientStream: unserved,
    bidiStream: unserved,
    async *serverStream(request: StreamRequest, context: HandlerContext) {
      const { responseDefinition: definition } = request;
      if (definition === undefined) return;
      copy(definition.responseHeaders, context.responseHeader);
      copy(definition.responseTrailers, context.responseTrailer);
      let info: Message | undefined = requestInfo(schema, request, context);
      for (const data of definition.responseData) {
        await pause(definition, context);
        yield { payload: payload(schema, { data, requestInfo: info }) };
        info = undefined;
      }
      if (definition.error !== undefined) throw suiteError(schema, definition.error, info);
    },
  } as unknown as ServiceDefinition['implementation']);
}

async function announce(definition: Definition | undefined, context: HandlerContext): Promise<void> {
  if (definition === undefined) return;
  copy(definition.responseHeaders, context.responseHeader);
  copy(definition.responseTrailers, context.responseTrailer);
  await pause(definition, context);
}

/** Rejects with the reason of the abort. */
async function pause({ responseDelayMs }: Definition, { signal }: HandlerContext): Promise<void> {
  await delay(responseDelayMs, undefined, { signal }).catch(() => signal.throwIfAborted());
}

function copy(from: readonly SuiteHeader[], to: Headers): void {
  for (const { name, value } of from) for (const one of value) to.append(name, one);
}

function payload(
  schema: Schema,
  fields: { data?: Uint8Array | undefined; requestInfo?: Message | undefined },
) {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return create(schema.message('ConformancePayload'), Object.fromEntries(present));
}

/** The requested error; a detail echoes the request where no payload has. */
function suiteError(
  schema: Schema,
  error: NonNullable<StreamDefinition['error']>,
  info: Message | undefined,
  definition?: Definition,
): ConnectError {
  const metadata = new Headers();
  copy(definition?.responseHeaders ?? [], metadata);
  copy(definition?.responseTrailers ?? [], metadata);
  const failure = new ConnectError(error.message ?? '', error.code, metadata);
  const own = info === undefined ? [] : [anyPack(schema.message('ConformancePayload.RequestInfo'), info)];
  failure.details = [...error.details, ...own].map(({ typeUrl, value }: Any) => ({
    type: typeUrl.slice(typeUrl.lastIndexOf('/') + 1),
    value,
  }));
  return failure;
}

function requestInfo(schema: Schema, message: Message, { method, values }: HandlerContext): Message {
  const request = values.get(requestKey);
  if (request === undefined) throw new Error('a call without its request');
  const timeoutMs = timeoutOf(request);
  const query = Object.entries(request.query as Record<string, string>);
  return create(schema.message('ConformancePayload.RequestInfo'), {
    requestHeaders: Object.entries(request.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [{ name, value: [value].flat() }],
    ),
    requests: [anyPack(method.input, message)],
    ...(timeoutMs !== undefined && { timeoutMs: BigInt(Math.floor(timeoutMs)) }),
    ...(request.method === 'GET' && {
      connectGetInfo: { queryParams: query.map(([name, value]) => ({ name, value: [value] })) },
    }),
  });
}

function timeoutOf({ headers }: CallRequest): number | undefined {
  const connect = headers['connect-timeout-ms'];
  if (connect !== undefined) return parseConnectTimeout(String(connect), Number.POSITIVE_INFINITY).timeoutMs;
  const grpc = headers['grpc-timeout'];
  return grpc === undefined ? undefined : parseGrpcTimeout(String(grpc), Number.POSITIVE_INFINITY).timeoutMs;
}
