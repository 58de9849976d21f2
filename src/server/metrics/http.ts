/** Requests of all doors, in numbers. Labels come from routes, never from what a client wrote. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Count, counts, type Family, gauge, type Times, times } from './families.js';

/** Methods that are told apart; a client of HTTP/2 may send any word. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The status, in logs of other servers too, of a request whose client left before the answer. */
const CLIENT_GONE = 499;

/** A route's cells, by what a request adds to it. */
interface RouteCells {
  readonly operation: string;
  readonly isRpc: boolean;
  readonly isRest: boolean;
  readonly counts: Map<string, Count>;
  readonly times: Map<string, Times>;
}

/** Requests in numbers, and those whose answers have not ended. */
export interface RequestMeter {
  readonly families: readonly Family[];
  readonly open: ReadonlySet<FastifyReply>;
}

/**
 * Counts every request that reaches a route of the server or none, from now on, when its answer has ended. RPC doors
 * of gRPC tell of failures in trailers: their status is 200 here whatever came of the call.
 */
export function meterRequests(
  server: FastifyInstance,
  rpcPaths: { has(path: string): boolean },
): RequestMeter {
  const requests = counts(
    'byway_http_requests_total',
    'Requests, by door and operation, method and HTTP status.',
    'door',
    'operation',
    'method',
    'status',
  );
  const durations = times(
    'byway_http_request_duration_seconds',
    'From a request to the end of its answer, streams included.',
    'door',
    'operation',
  );
  const open = new Set<FastifyReply>();
  const routes = new WeakMap<object, RouteCells>();
  const cellsOf = (request: FastifyRequest): RouteCells => {
    const { config, url = '' } = request.routeOptions;
    const known = routes.get(config);
    if (known !== undefined) return known;
    const isRpc = rpcPaths.has(url);
    const operation = request.is404 ? 'unknown' : (config.operation?.id ?? (isRpc ? rpcName(url) : url));
    const isRest = config.operation !== undefined;
    const cells = { operation, isRpc, isRest, counts: new Map(), times: new Map() };
    routes.set(config, cells);
    return cells;
  };

  server.addHook('onRequest', (request, reply, done) => {
    open.add(reply);
    reply.raw.once('close', () => {
      open.delete(reply);
      const cells = cellsOf(request);
      const { operation } = cells;
      const transport = transportOf(request, cells);
      const method = METHODS.has(request.method) ? request.method : 'other';
      const status = statusOf(reply);
      const key = `${transport} ${method} ${status}`;
      cached(cells.counts, key, () => requests.at(transport, operation, method, String(status))).value += 1;
      cached(cells.times, transport, () => durations.at(transport, operation)).observe(
        reply.elapsedTime / 1000,
      );
    });
    done();
  });
  const inFlight = gauge(
    'byway_http_requests_in_flight',
    'Requests whose answers have not ended.',
    () => open.size,
  );
  return { families: [requests, durations, inFlight], open };
}

/** Methods of the gateway's own services have names that are unique; those of others keep their service. */
function rpcName(path: string): string {
  return path.startsWith('/byway.') ? path.slice(path.lastIndexOf('/') + 1) : path.slice(1);
}

function transportOf({ headers }: FastifyRequest, { isRpc, isRest }: RouteCells): string {
  if (!isRpc) return isRest ? 'rest' : 'http';
  const contentType = headers['content-type'] ?? '';
  if (contentType.startsWith('application/grpc-web')) return 'grpc_web';
  return contentType.startsWith('application/grpc') ? 'grpc' : 'connect';
}

function statusOf({ raw, statusCode }: FastifyReply): number {
  return raw.headersSent ? statusCode : CLIENT_GONE;
}

function cached<T>(cells: Map<string, T>, key: string, make: () => T): T {
  const known = cells.get(key);
  if (known !== undefined) return known;
  const made = make();
  cells.set(key, made);
  return made;
}
