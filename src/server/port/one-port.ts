import * as http from 'node:http';
import * as https from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { FastifyServerFactory } from 'fastify';
import { onFirstBytes } from './first-bytes.js';
import { connectRefused, type HttpErrorResponder, requestProblem } from './http-errors.js';
import type { HttpLimits } from './http-limits.js';
import { createHttp2Side, type Http2Side } from './http2.js';
import type { Http2Routes } from './http2-routes.js';
import type { Lingering } from './linger.js';

/** A certificate chain and its private key, in PEM. */
export interface TlsIdentity {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}

export interface OnePortDependencies {
  readonly limits: HttpLimits;
  readonly httpErrors: HttpErrorResponder;
  readonly lingering: Lingering;
  readonly http2Routes: Http2Routes;
  /** With it the port speaks TLS only, without it cleartext only. */
  readonly tls?: TlsIdentity | undefined;
}

/** How often a closing server looks for HTTP/1.1 connections whose last answer has ended. */
const CLOSING_SWEEP_MS = 50;

/** TCP probes after this much silence, so that a vanished peer does not hold a stream open forever. */
const TCP_KEEP_ALIVE_MS = 60_000;

/**
 * One port for HTTP/1.1 and HTTP/2: in cleartext by the first bytes (prior knowledge), under
 * TLS by ALPN. Both reach Fastify's one handler.
 *
 * The server that Fastify gets is a real `http.Server` (or `https.Server`) whose connections take one more step
 * before its parser: timeouts, `clientError` and its lists of connections work as always, and HTTP/2 connections
 * are handed to a server beside it. `close()` also closes HTTP/2 sessions and silent sockets, and
 * `closeAllConnections()` cuts everything.
 */
export function onePort(dependencies: OnePortDependencies): FastifyServerFactory {
  return (handler) => {
    const front = createFront(dependencies, checked(dependencies, handler));
    const http2Side = createHttp2Side(dependencies.limits, {
      // `emit` is untyped: what Fastify uses of a request and a response is the same in both HTTP versions.
      onRequest: (request, response) => front.emit('request', request, response),
      routes: dependencies.http2Routes,
      refuse: dependencies.httpErrors.refuse,
      lingering: dependencies.lingering,
    });
    if (dependencies.tls === undefined) {
      divert(front, 'connection', (socket: Socket, speakHttp1) =>
        onFirstBytes(socket, dependencies.limits.firstBytesTimeoutMs, (protocol) =>
          protocol === 'http2' ? http2Side.adopt(socket) : speakHttp1(socket),
        ),
      );
    } else {
      divert(front, 'secureConnection', (socket: TLSSocket, speakHttp1) =>
        socket.alpnProtocol === 'h2' ? http2Side.adopt(socket) : speakPausable(socket, speakHttp1),
      );
    }
    closeEverything(front, http2Side);
    return front;
  };
}

/**
 * Makes Node's parser read a TLS socket through its stream. When it reads the handle directly, it gets records that
 * have already arrived even while it is paused, and takes them for broken HTTP. It is paused when a client sends its
 * next request before Node has seen the previous answer leave.
 */
function speakPausable(socket: TLSSocket, speakHttp1: (socket: TLSSocket) => void): void {
  speakHttp1(socket);
  socket.on('data', () => {});
}

function createFront(
  { limits, httpErrors, tls }: OnePortDependencies,
  listener: http.RequestListener,
): http.Server {
  const options: http.ServerOptions = {
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: limits.timeoutCheckIntervalMs,
    keepAlive: true,
    keepAliveInitialDelay: TCP_KEEP_ALIVE_MS,
    // Node would answer without an envelope; `requestProblem` checks the host.
    requireHostHeader: false,
  };
  const front =
    tls === undefined
      ? http.createServer(options, listener)
      : https.createServer(
          {
            ...options,
            ...tls,
            ALPNProtocols: ['h2', 'http/1.1'],
            handshakeTimeout: limits.firstBytesTimeoutMs,
          },
          listener,
        );
  // Node silently drops headers above this count; `requestProblem` refuses them instead, and their size is limited
  // anyway.
  front.maxHeadersCount = 0;
  front.maxConnections = limits.maxConnections;
  // No 'upgrade' listener: a request for another protocol is answered in the one it came in (RFC 9110 section 7.8).
  front.on('connect', ({ socket }) => httpErrors.end(connectRefused(), socket));
  front.on('checkExpectation', listener);
  return front;
}

/** The listener between the parsers and Fastify: refuses requests that parsed but are not acceptable. */
function checked(
  { limits, httpErrors, lingering }: OnePortDependencies,
  handler: http.RequestListener,
): http.RequestListener {
  return (request, response) => {
    if (request.httpVersionMajor === 1) {
      httpErrors.begin(request, response);
      outlastClient(request, response, lingering);
    }
    // Only HTTP/1.0 may lack a host (RFC 9112 section 3.2); handlers always have one.
    if (request.httpVersion === '1.0') request.headers.host ??= 'localhost';
    const problem = requestProblem(request, limits);
    if (problem === undefined) handler(request, response);
    else httpErrors.refuse(request, response, problem);
  };
}

/** Drops the rest of a request whose answer is complete before it has arrived; the connection goes on after it. */
function outlastClient(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  lingering: Lingering,
): void {
  const { socket } = request;
  const isReceived = () => request.complete;
  // Before Node's own listener, which closes a connection without keep-alive by this method.
  response.prependOnceListener('finish', () => {
    if (!isReceived()) socket.destroySoon = () => lingering.close(socket, isReceived);
  });
  response.once('finish', () => {
    if (isReceived() || socket.writableEnded) return;
    // Node drops a body that is merely unread; after a destroyed request nothing more would be read.
    if (request.destroyed) lingering.close(socket, isReceived);
    else lingering.pass(socket, isReceived);
  });
}

/** Puts a decision before Node's own listener for connections, its HTTP/1.1 parser. */
function divert<S extends Socket>(
  front: http.Server,
  event: 'connection' | 'secureConnection',
  decide: (socket: S, speakHttp1: (socket: S) => void) => void,
): void {
  const [parser, ...others] = front.listeners(event);
  if (parser === undefined || others.length > 0)
    throw new Error(`node:http has changed its '${event}' listeners`);
  front.removeAllListeners(event);
  front.on(event, (socket: S) => decide(socket, (chosen) => parser.call(front, chosen)));
}

/** The open connections that the event has told of. */
function followed(front: http.Server, event: 'connection' | 'secureConnection'): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  front.on(event, (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

/** A connection of HTTP/1.1, with the answer that it is sending. */
interface AnsweringSocket extends Socket {
  readonly _httpMessage?: (http.ServerResponse & { finished: boolean }) | null;
}

/**
 * Closes what is idle, but no connection with an answer that has ended and has not left yet: Node takes such an answer for
 * finished, and would cut it off.
 */
function sparingUnsent(sockets: Iterable<AnsweringSocket>, closeIdle: () => void): void {
  const unsent: { finished: boolean }[] = [];
  for (const { _httpMessage: answer } of sockets) {
    if (answer?.finished === true && !answer.writableFinished) unsent.push(answer);
  }
  for (const answer of unsent) answer.finished = false;
  closeIdle();
  for (const answer of unsent) answer.finished = true;
}

/** Makes the closing methods of the server cover what its own lists do not: HTTP/2 and undecided connections. */
function closeEverything(front: http.Server, http2Side: Http2Side): void {
  const sockets = followed(front, 'connection');
  const secured = followed(front, 'secureConnection');

  const closeIdleHttp1 = front.closeIdleConnections.bind(front);
  front.closeIdleConnections = () => {
    sparingUnsent([...sockets, ...secured], closeIdleHttp1);
    http2Side.closeSessions();
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  };
  front.closeAllConnections = () => {
    for (const socket of sockets) socket.destroy();
  };

  const close = front.close.bind(front);
  front.close = (callback) => {
    // A busy connection becomes idle later, and Node looks for idle ones only once.
    const sweep = setInterval(() => front.closeIdleConnections(), CLOSING_SWEEP_MS);
    return close((error) => {
      clearInterval(sweep);
      callback?.(error);
    });
  };
}
