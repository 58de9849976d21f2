/**
 * The in-process transport: a call runs the interceptors and the implementation, and nothing is serialised.
 * REST, the command line and other modules use it through the same typed client as remote callers.
 */
import {
  create,
  type DescMessage,
  type DescMethod,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf';
import {
  Code,
  ConnectError,
  type ContextValues,
  createContextValues,
  type Interceptor,
  type StreamRequest,
  type StreamResponse,
  type Transport,
  type UnaryRequest,
  type UnaryResponse,
} from '@connectrpc/connect';
import { OneItem } from '../base/one-item.js';
import { OpenRequest } from '../protobuf/open-request.js';
import type { ServiceDefinition } from './define-service.js';
import { type AnyCall, innermost } from './invoke.js';

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
  // One literal: spreading would take longer than the rest of a short call.
  const requestTo = (
    method: DescMethod,
    signal: AbortSignal | undefined,
    header: Parameters<Transport['unary']>[3],
    contextValues: ContextValues | undefined,
    content: Pick<UnaryRequest, 'stream' | 'message'> | Pick<StreamRequest, 'stream' | 'message'>,
  ) => ({
    stream: content.stream,
    message: content.message,
    service: method.parent,
    method,
    requestMethod: 'POST',
    url: routeTo(method).url,
    signal: signal ?? NEVER,
    header: new Headers(header),
    contextValues: contextValues ?? createContextValues(),
  });
  // The innermost call answers with the method's own output, which the types can't follow.
  return {
    isOpen: (method) => routeTo(method).isOpen,
    async unary(method, signal, _timeoutMs, header, input, contextValues) {
      const content = { stream: false, message: messageOf(method.input, input) } as const;
      const request = requestTo(method, signal, header, contextValues, content);
      return (await routeTo(method).call(request as unknown as UnaryRequest)) as UnaryResponse<
        typeof method.input,
        typeof method.output
      >;
    },
    async stream(method, signal, _timeoutMs, header, input, contextValues) {
      const content = { stream: true, message: messagesOf(method.input, input) } as const;
      const request = requestTo(method, signal, header, contextValues, content);
      return (await routeTo(method).call(request as unknown as StreamRequest)) as StreamResponse<
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
