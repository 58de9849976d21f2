/**
 * HTTP to providers: connections kept per origin, one request per call. Nothing is followed, retried or decompressed,
 * and no header is sent but those given: what the client sent stays here.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { Agent, type buildConnector, type Dispatcher } from 'undici';
import { CONNECT_TIMEOUT_MS } from './connect.js';
import { networkFailure } from './network-failure.js';

/** A stream holds its connection to the end, so this bounds the answers that one provider gives at the same time. */
const MAX_CONNECTIONS_PER_ORIGIN = 1024;

/** How long an idle connection is kept; most providers keep theirs longer. */
const KEEP_ALIVE_MS = 30_000;

/** Bytes that are read ahead of what was pulled: any chunk that has come fills this. */
const READ_AHEAD_BYTES = 1;

/** A request, made with POST. */
export interface HttpRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Aborting closes the connection at once, whatever has come. */
  readonly signal: AbortSignal;
}

/** A request of any method. A body in pieces is pulled only as fast as the connection takes it. */
export interface AnyHttpRequest extends Omit<HttpRequest, 'body'> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly body: string | AsyncIterable<Uint8Array> | null;
}

/** An answer as soon as its head has come, whatever its status. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** To be read to its end, discarded or destroyed. */
  readonly body: HttpBody;
}

/** Bytes as they come, and a way to let the rest go without giving up the connection. */
export type HttpBody = Dispatcher.ResponseData['body'] & Readable;

/** A client with a pool of connections. */
export interface Http {
  /** The answer, once its head is here. Throws `UpstreamFailure`, or the signal's reason once it is aborted. */
  post(request: HttpRequest): Promise<HttpAnswer>;
  /** As `post`, with the method and the body that the request says. */
  send(request: AnyHttpRequest): Promise<HttpAnswer>;
  /** Breaks all connections. */
  close(): Promise<void>;
}

/** A client with connections of its own, made by `connect` where that is given. An answer's time is its caller's to keep. */
export function createHttp(connect?: buildConnector.connector): Http {
  const agent = new Agent({
    connections: MAX_CONNECTIONS_PER_ORIGIN,
    connect: connect ?? { timeout: CONNECT_TIMEOUT_MS },
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    post: (request) => send(agent, { ...request, method: 'POST' }),
    send: (request) => send(agent, request),
    close: () => agent.destroy(),
  };
}

async function send(
  agent: Agent,
  { url, method, headers, body, signal }: AnyHttpRequest,
): Promise<HttpAnswer> {
  try {
    const answer = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers: {
        'user-agent': 'byway',
        ...(body !== null && { 'content-type': 'application/json' }),
        'accept-encoding': 'identity',
        ...headers,
      },
      body: body === null || typeof body === 'string' ? body : Readable.from(body, { objectMode: false }),
      signal,
      highWaterMark: READ_AHEAD_BYTES,
    });
    // Whoever reads hears of errors; when nobody does, they are of no consequence.
    answer.body.on('error', () => undefined);
    return { status: answer.statusCode, headers: answer.headers, body: answer.body };
  } catch (error) {
    throw networkFailure(error, 'request');
  }
}
