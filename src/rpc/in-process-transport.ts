/**
 * The in-process transport: a call runs the interceptors and the implementation, and nothing is serialised.
 * REST, the command line and other modules use it through the same typed client as remote callers.
 */
import {
  create,
  type DescMessage,
  type DescMethod,
  type Message,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf';
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
import { noHeaders } from '../base/no-headers.js';
import { OneItem } from '../base/one-item.js';
import { PushStream } from '../base/push-stream.js';
import { OpenRequest } from '../protobuf/open-request.js';
import type { ServiceDefinition } from './define-service.js';

type AnyCall = ReturnType<Interceptor>;

/** A transport whose open methods take an `OpenRequest` too, which is answered in JSON. */
export interface InProcessTransport extends Transport {
  isOpen(method: DescMethod): boolean;
}

interface Route {
  readonly call: AnyCall;
  readonly url: string;
  readonly isOpen: boolean;
}

/**
 * A transport to the given services. Errors are those that the interceptors let through; an unknown method is
 * `unimplemented`.
 */
export function createInProcessTransport(
  services: readonly ServiceDefinition[],
  interceptors: readonly Interceptor[],
): InProcessTransport {
  const routes = new Map<DescMethod, Route>();
  for (const definition of services) {
    const { service } = definition;
    for (const method of service.methods) {
      const call = compose(interceptors, innermost(method, definition));
      const isOpen = definition.open[method.localName] !== undefined;
      routes.set(method, { call, url: `/${service.typeName}/${method.name}`, isOpen });
    }
  }
  const routeTo = (method: DescMethod): Route => {
    const route = routes.get(method);
    if (route === undefined) throw new ConnectError(`${method.name} is not served`, Code.Unimplemented);
    return route;
  };
  return {
    isOpen: (method) => routeTo(method).isOpen,
    async unary(method, signal, _timeoutMs, header, input, contextValues) {
      const { call, url } = routeTo(method);
      const request = {
        stream: false as const,
        service: method.parent,
        method,
        requestMethod: 'POST',
        url,
        signal: signal ?? NEVER,
        header: header === undefined ? noHeaders() : new Headers(header),
        contextValues: contextValues ?? createContextValues(),
        message: messageOf(method.input, input),
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
        header: header === undefined ? noHeaders() : new Headers(header),
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
function innermost(method: DescMethod, { implementation, open }: ServiceDefinition): AnyCall {
  const overMessages = (implementation as Record<string, Implementation | undefined>)[method.localName];
  if (overMessages === undefined)
    throw new TypeError(`${method.parent.typeName}.${method.name} has no implementation`);
  const openCall = open[method.localName]?.call;
  const run = (request: unknown, context: HandlerContext) =>
    request instanceof OpenRequest ? openCall?.(request.body, context) : overMessages(request, context);
  return async (request) => {
    const context = new CallContext(request);
    const { service } = context;
    if (!request.stream) {
      const output = (await run(request.message, context)) as Output;
      return {
        service,
        header: context.header,
        trailer: context.trailer,
        stream: false,
        method: request.method,
        message: outputOf(method, request.message, output),
      };
    }
    const { responseHeader: header, responseTrailer: trailer } = context;
    const input =
      request.message instanceof OneItem ? request.message.item : await singleMessage(request.message);
    const output = run(input, context);
    if (output instanceof PushStream) {
      // Its answers are JSON, which the types can't say.
      return {
        service,
        header,
        trailer,
        stream: true,
        method: request.method,
        message: output as PushStream<Message>,
      };
    }
    const outputs = (output as AsyncIterable<Output>)[Symbol.asyncIterator]();
    // As over a network: the headers are complete once the first message is there.
    const all = withFirst(await outputs.next(), outputs);
    const message = outputsOf(method, input, all);
    return { service, header, trailer, stream: true, method: request.method, message };
  };
}

type Implementation = (request: unknown, context: HandlerContext) => unknown;
type Output = MessageInitShape<DescMessage>;

/** An open request is answered with JSON, which the types can't say. */
function outputOf({ output: desc }: DescMethod, input: unknown, output: Output): Message {
  return input instanceof OpenRequest ? (output as Message) : create(desc, output);
}

async function* outputsOf(
  method: DescMethod,
  input: unknown,
  outputs: AsyncIterable<Output>,
): AsyncIterable<Message> {
  for await (const output of outputs) yield outputOf(method, input, output);
}

/** What an implementation is told of its call. Its headers are made when they are first used: most calls set none. */
class CallContext implements HandlerContext {
  readonly method: HandlerContext['method'];
  readonly service: HandlerContext['service'];
  readonly signal: AbortSignal;
  readonly requestMethod: string;
  readonly requestHeader: Headers;
  readonly values: HandlerContext['values'];
  readonly url: string;
  readonly protocolName = 'in-process';
  #header: Headers | undefined;
  #trailer: Headers | undefined;

  constructor(request: UnaryRequest | StreamRequest) {
    this.method = request.method;
    this.service = request.service;
    this.signal = request.signal;
    this.requestMethod = request.requestMethod;
    this.requestHeader = request.header;
    this.values = request.contextValues;
    this.url = request.url;
  }

  get responseHeader(): Headers {
    this.#header ??= new Headers();
    return this.#header;
  }

  get responseTrailer(): Headers {
    this.#trailer ??= new Headers();
    return this.#trailer;
  }

  /** The headers that the implementation has set. */
  get header(): Headers {
    return this.#header ?? noHeaders();
  }

  get trailer(): Headers {
    return this.#trailer ?? noHeaders();
  }

  timeoutMs(): undefined {
    return undefined;
  }
}

async function* withFirst<T>(first: IteratorResult<T>, rest: AsyncIterator<T>): AsyncIterable<T> {
  try {
    for (let next = first; next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

function messagesOf<D extends DescMessage>(
  desc: D,
  inputs: AsyncIterable<MessageInitShape<D>>,
): AsyncIterable<MessageShape<D>> {
  if (inputs instanceof OneItem) return new OneItem(messageOf(desc, inputs.item));
  return messagesOfMany(desc, inputs);
}

async function* messagesOfMany<D extends DescMessage>(desc: D, inputs: AsyncIterable<MessageInitShape<D>>) {
  for await (const input of inputs) yield messageOf(desc, input);
}

/** An open request passes as it is, which the types can't say. */
function messageOf<D extends DescMessage>(desc: D, input: MessageInitShape<D>): MessageShape<D> {
  return input instanceof OpenRequest ? (input as never) : create(desc, input);
}

async function singleMessage<T>(messages: AsyncIterable<T>): Promise<T> {
  for await (const message of messages) return message;
  throw new ConnectError('the request has no message', Code.InvalidArgument);
}
