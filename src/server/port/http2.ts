import type { EventEmitter } from 'node:events';
import type { OutgoingHttpHeaders } from 'node:http';
import * as http2 from 'node:http2';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import {
  type HttpErrorResponder,
  type RefusedRequest,
  type RefusingResponse,
  receiveTimeout,
  requestProblem,
} from './http-errors.js';
import type { HttpLimits } from './http-limits.js';
import type { Http2Routes } from './http2-routes.js';
import type { Lingering } from './linger.js';

/** The HTTP/2 half of the port. */
export interface Http2Side {
  /** Takes over a connection whose first bytes are still unread. */
  adopt(socket: Socket): void;
  /** Sends GOAWAY to every client; a session ends once its streams have. */
  closeSessions(): void;
}

export interface Http2Requests {
  readonly onRequest: (request: http2.Http2ServerRequest, response: http2.Http2ServerResponse) => void;
  readonly routes: Http2Routes;
  readonly refuse: HttpErrorResponder['refuse'];
  readonly lingering: Lingering;
}

/**
 * An HTTP/2 server without a port of its own, within the limits: streams per session, header list, session memory,
 * idle time of a session without streams, time to receive a request. Node's own limits on rapid resets, pings,
 * settings and invalid frames stay in force.
 */
export function createHttp2Side(limits: HttpLimits, requests: Http2Requests): Http2Side {
  const sessions = new Set<http2.ServerHttp2Session>();
  const server = http2.createServer({
    maxHeaderListPairs: limits.maxHeaderCount,
    maxSessionMemory: limits.maxSessionMemoryMiB,
    settings: {
      enablePush: false,
      maxConcurrentStreams: limits.maxStreamsPerSession,
      maxHeaderListSize: limits.maxHeaderBytes,
    },
  });
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
    closeWhenIdle(session, limits.keepAliveTimeoutMs);
  });
  server.on('request', (request, response) => {
    dropRest(request.stream, requests.lingering);
    limitReceiving(request, request.stream, limits.requestTimeoutMs, () =>
      giveUp(request, response, requests.refuse),
    );
    requests.onRequest(request, response);
  });
  // Without a listener Node answers CONNECT with an empty 405; with one it is refused like any other method.
  server.on('connect', requests.onRequest);
  divertStreams(server, limits, requests);

  return {
    adopt: (socket) => {
      // HTTP/1.1 needs half-open connections; an HTTP/2 client that has ended its side sends nothing more.
      socket.allowHalfOpen = false;
      // After a session has closed our side Node would wait forever for the client to close its own.
      socket.once('finish', () => requests.lingering.close(socket));
      server.emit('connection', socket);
    },
    closeSessions: () => {
      for (const session of sessions) session.close();
    },
  };
}

/** The event as Node emits it; its types lack the last argument. */
interface StreamServer extends EventEmitter {
  on(
    event: 'stream',
    listener: (
      stream: http2.ServerHttp2Stream,
      headers: http2.IncomingHttpHeaders,
      flags: number,
      rawHeaders: string[],
    ) => void,
  ): this;
}

/** Serves the streams of the routes; only the others get requests and responses like those of HTTP/1.1. */
function divertStreams(server: StreamServer, limits: HttpLimits, requests: Http2Requests): void {
  const [compatible, ...others] = server.listeners('stream');
  if (compatible === undefined || others.length > 0)
    throw new Error("node:http2 has changed its 'stream' listeners");
  server.removeAllListeners('stream');
  server.on('stream', (stream, headers, flags, rawHeaders) => {
    const serve = requests.routes.find(headers);
    const isAcceptable =
      serve !== undefined && requestProblem({ headers, rawHeaders, method: 'POST' }, limits) === undefined;
    if (!isAcceptable) {
      compatible.call(server, stream, headers, flags, rawHeaders);
      return;
    }
    // 'close' reports a broken stream; an 'error' without a listener would end the process.
    stream.on('error', ignore);
    // The native handle keeps the stream, and all that listens, until the next full garbage collection.
    stream.on('close', () => stream.removeAllListeners().on('error', ignore));
    dropRest(stream, requests.lingering);
    limitReceiving(stream, stream, limits.requestTimeoutMs, () => {
      const response = {
        writeHead: (status: number, answer: OutgoingHttpHeaders) =>
          stream.respond({ ':status': status, ...answer }),
        end: (body: string) => stream.end(body),
      };
      giveUp({ stream, headers, httpVersionMajor: 2 }, response, requests.refuse);
    });
    serve(stream, headers);
  });
}

function ignore(): void {}

/** Closes a silent session, but not while a stream is open, which may be waiting for the server. */
function closeWhenIdle(session: http2.ServerHttp2Session, idleTimeoutMs: number): void {
  let streams = 0;
  session.on('stream', (stream) => {
    streams += 1;
    // Not `once`, here and below: what is emitted once needs no wrapper that removes it.
    stream.on('close', () => {
      streams -= 1;
    });
  });
  session.setTimeout(idleTimeoutMs);
  session.on('timeout', () => {
    if (streams === 0) session.close();
  });
}

/**
 * Reads and drops the rest of a body after the answer: some clients lose an answer whose stream is closed while they
 * send. A client that goes on for too long gets a RST_STREAM with NO_ERROR (RFC 9113 section 8.1).
 */
function dropRest(stream: http2.ServerHttp2Stream, lingering: Lingering): void {
  stream.on('finish', () => {
    if (stream.readableEnded) return;
    let bytes = 0;
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      // A destroyed request pauses the stream at every chunk.
      stream.resume();
    });
    stream.resume();
    lingering.watch({
      bytesRead: () => bytes,
      isOver: () => stream.readableEnded || stream.destroyed,
      done: () => {},
      cutOff: () => stream.close(http2.constants.NGHTTP2_NO_ERROR),
    });
  });
}

/** Limits the time for a request's body, for which node:http2 has no limit. */
function limitReceiving(
  body: Readable,
  stream: http2.ServerHttp2Stream,
  timeoutMs: number,
  expired: () => void,
): void {
  if (stream.endAfterHeaders) return;
  const timer = setTimeout(expired, timeoutMs);
  const stop = () => clearTimeout(timer);
  body.on('end', stop);
  stream.on('close', stop);
}

/** Answers 408 and resets the stream; once an answer has begun, only the reset shows that it is not complete. */
function giveUp(
  request: RefusedRequest & { readonly stream: http2.ServerHttp2Stream },
  response: RefusingResponse,
  refuse: HttpErrorResponder['refuse'],
): void {
  const { stream } = request;
  if (stream.headersSent) {
    stream.close(http2.constants.NGHTTP2_CANCEL);
    return;
  }
  stream.once('finish', () => stream.close());
  refuse(request, response, receiveTimeout());
}
