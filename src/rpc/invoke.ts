/** The innermost of a call in process: the implementation of its method. */
import {
  create,
  type DescMessage,
  type DescMethod,
  type Message,
  type MessageInitShape,
} from '@bufbuild/protobuf';
import { Code, ConnectError, type HandlerContext, type Interceptor } from '@connectrpc/connect';
import { OneItem } from '../base/one-item.js';
import { PushStream } from '../base/push-stream.js';
import { OpenRequest } from '../protobuf/open-request.js';
import { CallContext } from './call-context.js';
import type { ServiceDefinition } from './define-service.js';

/** A call as interceptors see it. */
export type AnyCall = ReturnType<Interceptor>;

/** Runs the implementation. Only unary and server-streaming methods exist in the contract. */
export function innermost(method: DescMethod, { implementation, open }: ServiceDefinition): AnyCall {
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
        header: context.responseHeader,
        trailer: context.responseTrailer,
        stream: false,
        method: request.method,
        message: outputOf(method, request.message, output),
      };
    }
    const { responseHeader: header, responseTrailer: trailer } = context;
    const input =
      request.message instanceof OneItem ? request.message.item : await singleMessage(request.message);
    const output = run(input, context);
    // What is pushed are answers in JSON, which the types can't say.
    const message =
      output instanceof PushStream
        ? (output as PushStream<Message>)
        : await outputsOf(method, input, output as AsyncIterable<Output>);
    return { service, header, trailer, stream: true, method: request.method, message };
  };
}

type Implementation = (request: unknown, context: HandlerContext) => unknown;
type Output = MessageInitShape<DescMessage>;

/** An open request is answered with JSON, which the types can't say. */
function outputOf({ output: desc }: DescMethod, input: unknown, output: Output): Message {
  return input instanceof OpenRequest ? (output as Message) : create(desc, output);
}

/** As over a network: the headers are complete once the first message is there. */
async function outputsOf(
  method: DescMethod,
  input: unknown,
  outputs: AsyncIterable<Output>,
): Promise<AsyncIterable<Message>> {
  const iterator = outputs[Symbol.asyncIterator]();
  return messagesFrom(await iterator.next(), iterator, (output) => outputOf(method, input, output));
}

async function* messagesFrom<T>(
  first: IteratorResult<T>,
  rest: AsyncIterator<T>,
  messageOf: (output: T) => Message,
): AsyncIterable<Message> {
  try {
    for (let next = first; next.done !== true; next = await rest.next()) yield messageOf(next.value);
  } finally {
    await rest.return?.();
  }
}

async function singleMessage<T>(messages: AsyncIterable<T>): Promise<T> {
  for await (const message of messages) return message;
  throw new ConnectError('the request has no message', Code.InvalidArgument);
}
