/** Metrics of requests over all transports. Labels come from routes, never from a client's text. */
import type { ServerHttp2Stream } from 'node:http2';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Slots } from '../../base/memory/slots.js';
import type { OpenAnswer } from '../port/open-answers.js';
import { alsoLabelled, type Count, counter, type Family, gauge, histogram, type Times } from './families.js';

/** Methods with a label of their own; an HTTP/2 client may send any word. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The status that nginx and others log for a request whose client disconnected before the answer. */
const CLIENT_CLOSED = 499;

/** The cells of a route, by the labels that depend on the request. */
interface RouteCells {
  readonly operation: string;
  readonly isRpc: boolean;
  readonly isRest: boolean;
  readonly counts: Map<string, Count>;
  readonly times: Map<string, Times>;
}

export interface RequestMeter {
  readonly families: readonly Family[];
  /** Requests whose answers have not ended. */
  readonly open: Iterable<OpenAnswer>;
  /** Counts a call of gRPC to this path that Fastify does not see, when its stream has ended. */
  readonly countCall: (path: string, answer: StreamAnswer) => void;
}

/** An answer on a stream of HTTP/2. */
interface StreamAnswer extends OpenAnswer {
  readonly raw: ServerHttp2Stream;
  readonly startedAtMs: number;
}

/** The earlier name of the label `transport`, for dashboards that were made before 0.2; it goes with 0.3. */
const EARLIER_LABEL = 'door';

/**
 * Counts every request from now on, to known and unknown paths, when its answer has ended. gRPC reports failures in
 * trailers: its status is 200 here whatever the outcome.
 */
export function meterRequests(
  server: FastifyInstance,
  rpcPaths: { has(path: string): boolean },
): RequestMeter {
  const requests = counter(
    'byway_http_requests_total',
    'Requests, by transport, operation, method and HTTP status.',
    'transport',
    'operation',
    'method',
    'status',
  );
  const durations = histogram(
    'byway_http_request_duration_seconds',
    'From a request to the end of its answer, streams included.',
    'transport',
    'operation',
  );
  const open = new Slots<OpenAnswer>();
  const calls = new Map<string, RouteCells>();
  const routes = new WeakMap<object, RouteCells>();
  const cellsOf = (request: FastifyRequest): RouteCells => {
    const { config, url = '' } = request.routeOptions;
    const known = routes.get(config);
    if (known !== undefined) return known;
    const isRpc = rpcPaths.has(url);
    const operation = request.is404 ? 'unknown' : (config.operation?.id ?? (isRpc ? rpcName(url) : url));
    const isRest = config.operation !== undefined;
    const cells = cellsFor(operation, { isRpc, isRest });
    routes.set(config, cells);
    return cells;
  };
  const count = ({ operation, counts, times }: RouteCells, ended: Ended) => {
    const { transport, method, status, ms } = ended;
    const key = `${transport} ${method} ${status}`;
    cached(counts, key, () => requests.at(transport, operation, method, String(status))).value += 1;
    cached(times, transport, () => durations.at(transport, operation)).observe(ms / 1000);
  };

  server.addHook('onRequest', (request, reply, done) => {
    const slot = open.add(reply);
    reply.raw.once('close', () => {
      open.remove(slot);
      const cells = cellsOf(request);
      const transport = transportOf(request, cells);
      const method = METHODS.has(request.method) ? request.method : 'other';
      count(cells, { transport, method, status: statusOf(reply), ms: reply.elapsedTime });
    });
    done();
  });
  const countCall = (path: string, answer: StreamAnswer) => {
    const slot = open.add(answer);
    const { raw, startedAtMs } = answer;
    raw.on('close', () => {
      open.remove(slot);
      const cells = cached(calls, path, () => cellsFor(rpcName(path), { isRpc: true, isRest: false }));
      const status = raw.headersSent ? Number(raw.sentHeaders[':status']) : CLIENT_CLOSED;
      count(cells, { transport: 'grpc', method: 'POST', status, ms: performance.now() - startedAtMs });
    });
  };
  const inFlight = gauge(
    'byway_http_requests_in_flight',
    'Requests whose answers have not ended.',
    () => open.size,
  );
  const labelled = [requests, durations].map((family) => alsoLabelled(family, 'transport', EARLIER_LABEL));
  return { families: [...labelled, inFlight], open, countCall };
}

/** A request whose answer has ended. */
interface Ended {
  readonly transport: string;
  readonly method: string;
  readonly status: number;
  readonly ms: number;
}

function cellsFor(operation: string, kind: Pick<RouteCells, 'isRpc' | 'isRest'>): RouteCells {
  return { operation, ...kind, counts: new Map(), times: new Map() };
}

/** Method names of the gateway's own services are unique; others are shown with their service. */
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
  return raw.headersSent ? statusCode : CLIENT_CLOSED;
}

function cached<T>(cells: Map<string, T>, key: string, make: () => T): T {
  const known = cells.get(key);
  if (known !== undefined) return known;
  const made = make();
  cells.set(key, made);
  return made;
}
