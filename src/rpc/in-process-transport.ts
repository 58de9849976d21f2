/**
 * The in-process transport: a call runs the interceptors and the implementation, and nothing is serialised.
 * REST, the command line and other modules use it through the same typed client as remote callers.
 */
import { create, type DescMessage, type DescMethod, type MessageInitShape } from '@bufbuild/protobuf';
import {
  Code,
  ConnectError,
  createContextValues,
  type HandlerContext,
  type Interceptor,
  type StreamRequest,
  type StreamResponse,
  type Transport,
  type UnaryRequest,
  type UnaryResponse,
} from '@connectrpc/connect';
import type { ServiceDefinition } from './define-service.js';

type AnyCall = ReturnType<Interceptor>;

interface Route {
  readonly call: AnyCall;
  readonly url: string;
}

/**
 * A transport to the given services. Errors are those that the interceptors let through; an unknown method is
 * `unimplemented`.
 */
export function createInProcessTransport(
  services: readonly ServiceDefinition[],
  interceptors: readonly Interceptor[],
): Transport {
  const routes = new Map<DescMethod, Route>();
  for (const { service, implementation } of services) {
    for (const method of service.methods) {
      const call = compose(interceptors, innermost(method, implementation));
      routes.set(method, { call, url: `/${service.typeName}/${method.name}` });
    }
  }
  const routeTo = (method: DescMethod): Route => {
    const route = routes.get(method);
    if (route === undefined) throw new ConnectError(`${method.name} is not served`, Code.Unimplemented);
    return route;
  };
  return {
    async unary(method, signal, _timeoutMs, header, input, contextValues) {
      const { call, url } = routeTo(method);
      const request = {
        stream: false as const,
        service: method.parent,
        method,
        requestMethod: 'POST',
        url,
        signal: signal ?? NEVER,
        header: new Headers(header),
        contextValues: contextValues ?? createContextValues(),
        message: create(method.input, input),
      };
      // The innermost call answers a unary request with the method's own output, which the types can't follow.
      return (await call(request as unknown as UnaryRequest)) as UnaryResponse<
        typeof method.input,
        typeof method.output
      >;
    },
    async stream(method, signal, _timeoutMs, header, input, contextValues) {
      const { call, url } = routeTo(method);
      const request = {
        stream: true as const,
        service: method.parent,
        method,
        requestMethod: 'POST',
        url,
        signal: signal ?? NEVER,
        header: new Headers(header),
        contextValues: contextValues ?? createContextValues(),
        message: messagesOf(method.input, input),
      };
      return (await call(request as unknown as StreamRequest)) as StreamResponse<
        typeof method.input,
        typeof method.output
      >;
    },
  };
}

function compose(interceptors: readonly Interceptor[], innermostCall: AnyCall): AnyCall {
  return interceptors.reduceRight((next, interceptor) => interceptor(next), innermostCall);
}

/** The signal of calls that can't be aborted. */
const NEVER = new AbortController().signal;

/** Runs the implementation. Only unary and server-streaming methods exist in the contract. */
function innermost(method: DescMethod, implementation: ServiceDefinition['implementation']): AnyCall {
  const run = (implementation as Record<string, Implementation | undefined>)[method.localName];
  if (run === undefined)
    throw new TypeError(`${method.parent.typeName}.${method.name} has no implementation`);
  return async (request) => {
    const context = contextOf(request);
    const { service, responseHeader: header, responseTrailer: trailer } = context;
    if (!request.stream) {
      const output = await (run(request.message, context) as Promise<MessageInitShape<DescMessage>>);
      const message = create(method.output, output);
      return { stream: false, service, method: request.method, header, trailer, message };
    }
    const stream = run(await singleMessage(request.message), context) as AsyncIterable<
      MessageInitShape<DescMessage>
    >;
    const outputs = stream[Symbol.asyncIterator]();
    // As over a network: the headers are complete once the first message is there.
    const message = messagesOf(method.output, withFirst(await outputs.next(), outputs));
    return { stream: true, service, method: request.method, header, trailer, message };
  };
}

type Implementation = (request: unknown, context: HandlerContext) => unknown;

function contextOf(request: UnaryRequest | StreamRequest): HandlerContext {
  return {
    method: request.method,
    service: request.service,
    signal: request.signal,
    timeoutMs: () => undefined,
    requestMethod: request.requestMethod,
    requestHeader: request.header,
    responseHeader: new Headers(),
    responseTrailer: new Headers(),
    protocolName: 'in-process',
    values: request.contextValues,
    url: request.url,
  };
}

async function* withFirst<T>(first: IteratorResult<T>, rest: AsyncIterator<T>): AsyncIterable<T> {
  try {
    for (let next = first; next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

async function* messagesOf<D extends DescMessage>(desc: D, inputs: AsyncIterable<MessageInitShape<D>>) {
  for await (const input of inputs) yield create(desc, input);
}

async function singleMessage<T>(messages: AsyncIterable<T>): Promise<T> {
  for await (const message of messages) return message;
  throw new ConnectError('the request has no message', Code.InvalidArgument);
}
