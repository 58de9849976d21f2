/**
 * HTTP to providers. There is a connection pool per origin, whose places accounts share. Calls with an account's own
 * credential have separate pools. No redirects, no retries and no headers except the given ones: nothing of the
 * client's request is passed on. Encoded bodies are decoded, although no encoding is requested.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { Agent, buildConnector, Dispatcher } from 'undici';
import { NO_PROXIES, type Proxies } from '../../base/proxies.js';
import type { Signal } from '../../base/signal.js';
import type { HostHeaders } from '../../byok/keys/host-headers.js';
import type { Tenancy } from '../../inference/ports/adapter.js';
import { noPlace } from '../common/failures.js';
import { CONNECT_TIMEOUT_MS } from './connect.js';
import { type Incoming, receive } from './decoder.js';
import type { HttpBody } from './http-body.js';
import { networkFailure } from './network-failure.js';
import { HostPlaces, MAX_CONNECTIONS_PER_HOST } from './places.js';
import { forwardHeaders, ProxyError, proxiedConnector } from './proxy.js';
import { undici } from './undici.js';

/** Shorter than most providers' own keep-alive. */
const KEEP_ALIVE_MS = 30_000;

/** A POST request. */
export interface HttpRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /** Aborting closes the connection at once, or stops waiting for one. */
  readonly signal: Signal;
  readonly tenancy: Tenancy;
  /**
   * Headers for the hosts of the provider that is called. They are only added if the URL is the provider's, not to URLs
   * that others name.
   */
  readonly hostHeaders?: HostHeaders | undefined;
  /** Called when the request has a connection and is about to be written to it. */
  readonly onSent?: (() => void) | undefined;
}

/** A request of any method. A streamed body is pulled only as fast as the connection accepts it. */
export interface AnyHttpRequest extends Omit<HttpRequest, 'body'> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array> | null;
}

/** A response of any status, once its head has arrived. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Must be read to its end, discarded or destroyed. */
  readonly body: HttpBody;
}

export interface Http {
  /**
   * Throws `UpstreamFailure`, or the signal's reason once it is aborted. If the account may have no connection now,
   * waits for one, provided that the request may wait.
   */
  post(request: HttpRequest): Promise<HttpResponse>;
  /** As `post`, for any method and body. */
  send(request: AnyHttpRequest): Promise<HttpResponse>;
  /** Loads the client, which the first request would otherwise do. */
  warmUp(): void;
  /** Breaks all connections. */
  close(): Promise<void>;
}

/** A client for hosts that the operator names, through the proxies. */
export function createTrustedHttp(proxies: Proxies, maxOfAccount?: number): Http {
  return createHttp(proxiedConnector(proxies), maxOfAccount, proxies);
}

/**
 * A client with its own connections, made by `connect` if it is given. It has no timeouts except for connecting.
 * `maxOfAccount` is how many requests an account may have in flight at one host; by default `hasPlaceAtHost` decides.
 * `proxies` are those through which `connect` makes connections for http URLs; they are sent the whole URL.
 */
export function createHttp(
  connect?: buildConnector.connector,
  maxOfAccount?: number,
  proxies: Proxies = NO_PROXIES,
): Http {
  const shared = new Connections(connect, maxOfAccount, proxies);
  const own = new Connections(connect, maxOfAccount, proxies);
  const send = (request: AnyHttpRequest) => (request.tenancy.isByok ? own : shared).send(request);
  return {
    post: (request) => send({ ...request, method: 'POST' }),
    send,
    warmUp: () => void shared.agent,
    close: async () => {
      await Promise.all([shared.close(), own.close()]);
    },
  };
}

/** Connections to hosts, and the places there. */
class Connections {
  readonly #connect: buildConnector.connector | undefined;
  readonly #places: HostPlaces;
  readonly #proxies: Proxies;
  #agent: Agent | undefined;

  constructor(
    connect: buildConnector.connector | undefined,
    maxOfAccount: number | undefined,
    proxies: Proxies,
  ) {
    this.#connect = connect;
    this.#proxies = proxies;
    this.#places = new HostPlaces(maxOfAccount);
  }

  /** Started by the first use. */
  get agent(): Agent {
    this.#agent ??= new (undici().Agent)({
      connections: MAX_CONNECTIONS_PER_HOST,
      connect: this.#connect ?? { timeout: CONNECT_TIMEOUT_MS },
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    return this.#agent;
  }

  send(request: AnyHttpRequest): Promise<HttpResponse> {
    const { url, signal, tenancy } = request;
    const place = { origin: url.origin, accountId: tenancy.accountId };
    const exchange = {
      forwarded: forwardHeaders(this.#proxies, url),
      release: () => this.#places.release(place),
    };
    if (this.#places.tryTake(place)) return dispatch(this.agent, request, exchange);
    if (!tenancy.mayWait) return Promise.reject(noPlace());
    return this.#places.wait(place, signal).then(() => dispatch(this.agent, request, exchange));
  }

  async close(): Promise<void> {
    await this.#agent?.destroy();
  }
}

interface Exchange {
  /** Headers for the proxy that passes the request on; null = there is none. */
  readonly forwarded: Readonly<Record<string, string>> | null;
  /** Call it once, when the connection is free again. */
  release(): void;
}

function dispatch(
  agent: Agent,
  { url, method, headers, body, signal, hostHeaders, onSent }: AnyHttpRequest,
  exchange: Exchange,
): Promise<HttpResponse> {
  const plain = body === null ? GATEWAY_HEADERS : BODY_HEADERS;
  const { forwarded } = exchange;
  return new Promise((resolve, reject) => {
    const handler = new ResponseHandler(signal, exchange, onSent, resolve, reject);
    agent.dispatch(
      {
        origin: url.origin,
        path: (forwarded === null ? '' : url.origin) + url.pathname + url.search,
        method,
        headers: Object.assign(
          {},
          hostHeaders?.isFor(url) ? hostHeaders.values : null,
          plain,
          headers,
          forwarded,
        ),
        body: isWhole(body) ? body : Readable.from(body, { objectMode: false }),
      },
      handler,
    );
  });
}

function isWhole(body: AnyHttpRequest['body']): body is string | Uint8Array | null {
  return body === null || typeof body === 'string' || body instanceof Uint8Array;
}

const GATEWAY_HEADERS = { 'user-agent': 'byway', 'accept-encoding': 'identity' };
const BODY_HEADERS = { ...GATEWAY_HEADERS, 'content-type': 'application/json' };

/** Only proxies ask for credentials of a proxy. */
const PROXY_REFUSES = 407;

class ResponseHandler implements Dispatcher.DispatchHandler {
  readonly #signal: Signal;
  readonly #exchange: Exchange;
  readonly #onSent: (() => void) | undefined;
  readonly #resolve: (answer: HttpResponse) => void;
  readonly #reject: (error: unknown) => void;
  #control: Dispatcher.DispatchController | undefined;
  #incoming: Incoming | undefined;

  constructor(
    signal: Signal,
    exchange: Exchange,
    onSent: (() => void) | undefined,
    resolve: (answer: HttpResponse) => void,
    reject: (error: unknown) => void,
  ) {
    this.#signal = signal;
    this.#exchange = exchange;
    this.#onSent = onSent;
    this.#resolve = resolve;
    this.#reject = reject;
    signal.addEventListener('abort', this.#onAbort);
  }

  onRequestStart(control: Dispatcher.DispatchController): void {
    this.#control = control;
    if (this.#signal.aborted) this.#onAbort();
    else this.#onSent?.();
  }

  onResponseStart(
    control: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (status < 200) return;
    if (status === PROXY_REFUSES && this.#exchange.forwarded !== null) {
      control.abort(new ProxyError(status));
      return;
    }
    const { body, incoming } = receive(headers, control);
    this.#incoming = incoming;
    this.#resolve({ status, headers, body });
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#incoming?.push(chunk);
  }

  onResponseEnd(): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#exchange.release();
    this.#incoming?.end();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#exchange.release();
    if (this.#incoming === undefined) this.#reject(networkFailure(error, 'request'));
    else this.#incoming.fail(networkFailure(error, 'answer'));
  }

  /** A request that does not have a connection yet is dropped as soon as it gets one. */
  readonly #onAbort = () => {
    if (this.#control === undefined) this.#reject(this.#signal.reason);
    else this.#control.abort(this.#signal.reason);
  };
}
