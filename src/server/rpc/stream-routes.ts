/** Routes streams, which the library's handlers serve. */
import type { DescMethod, Registry } from '@bufbuild/protobuf';
import type { ConnectRouter } from '@connectrpc/connect';
import type { UniversalHandler } from '@connectrpc/connect/protocol';
import { parseTimeout as parseConnectTimeout } from '@connectrpc/connect/protocol-connect';
import { parseTimeout as parseGrpcTimeout } from '@connectrpc/connect/protocol-grpc';
import { MAX_DELAY_MS } from '../../http/client-signal.js';
import { STREAM_HEADERS } from '../../http/headers.js';
import type { ServiceDefinition } from '../../rpc/define-service.js';
import { limitStreamRequests } from './stream-request-limit.js';
import { withStatusMessage } from './wire/grpc-status.js';

export interface StreamRoutesOptions {
  /** Max bytes of a message. */
  readonly limitOf: (method: DescMethod) => number;
  /** Reads requests as those of unary calls are read; the router needs `useReceived` then. */
  readonly isReadHere?: boolean;
  /** The types that messages may carry as `google.protobuf.Any`; none when left out. */
  readonly registry?: Registry;
}

/** Routes the streams of the services; each method on its own, since each has its own max message size. */
export function routeStreams(
  router: ConnectRouter,
  services: readonly ServiceDefinition[],
  { limitOf, isReadHere = false, registry }: StreamRoutesOptions,
): void {
  for (const { service, implementation } of services) {
    for (const method of service.methods.filter(({ methodKind }) => methodKind !== 'unary')) {
      const call = implementation[method.localName];
      if (call === undefined) throw new TypeError(`${method.parent.typeName} lacks ${method.name}`);
      const readMaxBytes = limitOf(method);
      router.rpc(method, call, { readMaxBytes });
      if (isReadHere) limitStreamRequests(router, readMaxBytes, registry);
    }
  }
}

/** Wraps the library's handlers so that they behave as the server's own. */
export function adaptHandlers(routes: (router: ConnectRouter) => void): (router: ConnectRouter) => void {
  return (router) => {
    routes(router);
    router.handlers.forEach((handler, index) => {
      router.handlers[index] = withStreamHeaders(
        withStatusMessage(closingWithClient(withWholeBody(withTimeouts(handler)))),
      );
    });
  };
}

function withStreamHeaders(handler: UniversalHandler): UniversalHandler {
  const handle = async (request: Parameters<UniversalHandler>[0]) => {
    const response = await handler(request);
    const header = new Headers(response.header);
    for (const [name, value] of Object.entries(STREAM_HEADERS)) header.set(name, value);
    return { ...response, header };
  };
  return Object.assign(handle, handler);
}

/** Ignores timeouts that are longer than a timer can wait for: in the library they would expire at once. */
function withTimeouts(handler: UniversalHandler): UniversalHandler {
  const handle = (request: Parameters<UniversalHandler>[0]) => {
    for (const [name, parse] of TIMEOUTS) {
      const { timeoutMs = 0 } = parse(request.header.get(name), Number.POSITIVE_INFINITY);
      if (timeoutMs > MAX_DELAY_MS) request.header.delete(name);
    }
    return handler(request);
  };
  return Object.assign(handle, handler);
}

const TIMEOUTS = [
  ['connect-timeout-ms', parseConnectTimeout],
  ['grpc-timeout', parseGrpcTimeout],
] as const;

/**
 * Reads and drops what a handler leaves of a body. The library would end the request, and with it an HTTP/1.1
 * connection that the answer has promised to keep alive.
 */
function withWholeBody(handler: UniversalHandler): UniversalHandler {
  const handle = (request: Parameters<UniversalHandler>[0]) => {
    const { body, httpVersion } = request;
    if (!httpVersion.startsWith('1.') || !isStream(body)) return handler(request);
    return handler({ ...request, body: droppingRest(body) });
  };
  return Object.assign(handle, handler);
}

function droppingRest(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const source = chunks[Symbol.asyncIterator]();
      return {
        next: () => source.next(),
        return: async () => {
          drop(source);
          return { done: true, value: undefined };
        },
      };
    },
  };
}

async function drop(source: AsyncIterator<Uint8Array>): Promise<void> {
  try {
    while ((await source.next()).done !== true);
  } catch {
    // The client has disconnected.
  }
}

/** Closes what is answered when the client leaves. The library does so only where it is not waiting for the client to read. */
function closingWithClient(handler: UniversalHandler): UniversalHandler {
  const handle = async (request: Parameters<UniversalHandler>[0]) => {
    const response = await handler(request);
    const { body } = response;
    if (!isStream(body)) return response;
    const pieces = body[Symbol.asyncIterator]();
    const close = () => void pieces.return?.().catch(() => {});
    request.signal.addEventListener('abort', close, { once: true });
    return { ...response, body: { [Symbol.asyncIterator]: () => pieces } };
  };
  return Object.assign(handle, handler);
}

function isStream(body: unknown): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}
