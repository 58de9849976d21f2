import * as http2 from 'node:http2';
import type { Socket } from 'node:net';
import { type HttpErrorResponder, receiveTimeout } from './http-errors.js';
import type { HttpLimits } from './http-limits.js';
import type { Lingering } from './linger.js';

/** The HTTP/2 half of the port. */
export interface Http2Side {
  /** Speaks HTTP/2 on a connection whose first bytes are still unread. */
  adopt(socket: Socket): void;
  /** Tells every client to go away; a session ends once its streams have. */
  closeSessions(): void;
}

/** What the HTTP/2 side asks for: answers to requests, and to those that are given up. */
export interface Http2Requests {
  readonly onRequest: (request: http2.Http2ServerRequest, response: http2.Http2ServerResponse) => void;
  readonly refuse: HttpErrorResponder['refuse'];
  readonly lingering: Lingering;
}

/**
 * An HTTP/2 server without a port of its own, within the limits: streams per session, header list, session memory,
 * idle time of a session without streams, time to receive a request. Node's own bounds on rapid resets, pings,
 * settings and invalid frames stay as they are.
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
    limitReceiving(request, limits.requestTimeoutMs, () => giveUp(request, response, requests.refuse));
    requests.onRequest(request, response);
  });
  // Without a listener node answers CONNECT with an empty 405; with it CONNECT is refused like any other method.
  server.on('connect', requests.onRequest);

  return {
    adopt: (socket) => {
      // HTTP/1.1 wants half-open connections; of an HTTP/2 client that has ended its side nothing can follow.
      socket.allowHalfOpen = false;
      // A session that has closed our side waits for the client to close its own, and node would wait for ever.
      socket.once('finish', () => requests.lingering.close(socket));
      server.emit('connection', socket);
    },
    closeSessions: () => {
      for (const session of sessions) session.close();
    },
  };
}

/** A quiet session is closed, but not while a stream is open: that one may be waiting for us. */
function closeWhenIdle(session: http2.ServerHttp2Session, idleTimeoutMs: number): void {
  let streams = 0;
  session.on('stream', (stream) => {
    streams += 1;
    stream.once('close', () => {
      streams -= 1;
    });
  });
  session.setTimeout(idleTimeoutMs);
  session.on('timeout', () => {
    if (streams === 0) session.close();
  });
}

/**
 * What still comes of a body after the answer is let in and dropped: some clients lose an answer whose stream is closed
 * while they send. One that goes on for too long is told that nothing more is wanted (RFC 9113 section 8.1).
 */
function dropRest(stream: http2.ServerHttp2Stream, lingering: Lingering): void {
  stream.once('finish', () => {
    if (stream.readableEnded) return;
    let bytes = 0;
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      // A request that its reader has destroyed pauses the stream at every piece.
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

/** node:http2 has no limit on the time that a client takes for a request's body. */
function limitReceiving(request: http2.Http2ServerRequest, timeoutMs: number, expired: () => void): void {
  if (request.stream.endAfterHeaders) return;
  const timer = setTimeout(expired, timeoutMs);
  request.once('end', () => clearTimeout(timer));
  request.stream.once('close', () => clearTimeout(timer));
}

/** Answers 408 and resets the stream; when an answer has begun, the reset alone tells that it is not whole. */
function giveUp(
  request: http2.Http2ServerRequest,
  response: http2.Http2ServerResponse,
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
