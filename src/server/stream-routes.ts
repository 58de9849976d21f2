/** Streams, which are served by the library's handlers. */
import { type DescMethod, getOption } from '@bufbuild/protobuf';
import type { ConnectRouter } from '@connectrpc/connect';
import type { UniversalHandler } from '@connectrpc/connect/protocol';
import { parseTimeout as parseConnectTimeout } from '@connectrpc/connect/protocol-connect';
import { parseTimeout as parseGrpcTimeout } from '@connectrpc/connect/protocol-grpc';
import { method as methodOption, Plane } from '../../gen/byway/options/v1/options_pb.js';
import { LONGEST_MS } from '../rest/client-signal.js';
import type { Served } from '../rpc/served.js';
import { boundRequests } from './bounded-streams.js';
import { withStatusMessage } from './grpc-status.js';

/** Routes the streams of the services; each method on its own, since it has its own bound of a message. */
export function routeStreams(
  router: ConnectRouter,
  services: readonly Served[],
  limitOf: (method: DescMethod) => number,
): void {
  for (const { service, implementation } of services) {
    for (const method of service.methods.filter(({ methodKind }) => methodKind !== 'unary')) {
      const call = implementation[method.localName];
      if (call === undefined) throw new TypeError(`${method.parent.typeName} lacks ${method.name}`);
      const readMaxBytes = limitOf(method);
      router.rpc(method, call, { readMaxBytes });
      if (getOption(method, methodOption).plane === Plane.INFERENCE) boundRequests(router, readMaxBytes);
    }
  }
}

/** Routes as `routes` does, and makes up for what the library's handlers do otherwise than the server's own. */
export function adaptHandlers(routes: (router: ConnectRouter) => void): (router: ConnectRouter) => void {
  return (router) => {
    routes(router);
    router.handlers.forEach((handler, index) => {
      router.handlers[index] = withStatusMessage(withWholeBody(withTimeouts(handler)));
    });
  };
}

/** Takes a timeout that is longer than a timer can wait for none; the library would let it pass at once. */
function withTimeouts(handler: UniversalHandler): UniversalHandler {
  const handle = (request: Parameters<UniversalHandler>[0]) => {
    for (const [name, parse] of TIMEOUTS) {
      const { timeoutMs = 0 } = parse(request.header.get(name), Number.POSITIVE_INFINITY);
      if (timeoutMs > LONGEST_MS) request.header.delete(name);
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
 * Has what a handler leaves of a body read to its end and dropped. The library would end the request, and with it a
 * connection of HTTP/1.1 that the answer has promised to keep.
 */
function withWholeBody(handler: UniversalHandler): UniversalHandler {
  const handle = (request: Parameters<UniversalHandler>[0]) => {
    const { body, httpVersion } = request;
    if (!httpVersion.startsWith('1.') || !isStream(body)) return handler(request);
    return handler({ ...request, body: droppingRest(body) });
  };
  return Object.assign(handle, handler);
}

function droppingRest(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const source = pieces[Symbol.asyncIterator]();
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
    // The client has gone.
  }
}

function isStream(body: unknown): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}
