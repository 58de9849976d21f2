import { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../base/clock.js';
import type { Ids } from '../../base/ids.js';
import { Problem } from '../../base/problem.js';
import { errorAnswer } from '../../http/error-envelope.js';
import { namesOneHost } from './authority.js';
import type { HttpLimits } from './http-limits.js';
import type { Lingering } from './linger.js';
import { requestId } from './request-id.js';

/** Answers requests that reach no handler: not HTTP, not complete in time, or not acceptable as HTTP. */
export interface HttpErrorResponder {
  /** Notes a connection's current request; call it for every HTTP/1.1 request. */
  begin(request: IncomingMessage, response: ServerResponse): void;
  /**
   * Ends a connection whose HTTP/1.1 can't be parsed: with the error envelope (400, 408, 413 or 431) where an answer is
   * possible, which it is not in the middle of another answer. A `Problem` is answered as such. Never throws.
   */
  end(error: Error, socket: Socket): void;
  /** Answers a readable request that is refused before routing, and ends an HTTP/1.1 connection with it. */
  refuse(request: RefusedRequest, response: RefusingResponse, problem: Problem): void;
}

/** The common part of requests of both HTTP versions. */
export type RefusedRequest = Pick<IncomingMessage, 'headers' | 'httpVersionMajor'>;

export interface RefusingResponse {
  writeHead(status: number, headers: OutgoingHttpHeaders): unknown;
  end(body: string): unknown;
}

interface HttpErrorDependencies {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly lingering: Lingering;
}

export function createHttpErrorResponder(dependencies: HttpErrorDependencies): HttpErrorResponder {
  const exchanges = new WeakMap<Socket, { request: IncomingMessage; response: ServerResponse }>();
  const ended = new WeakSet<Socket>();

  return {
    begin(request, response) {
      exchanges.set(request.socket, { request, response });
    },

    end(error, socket) {
      // The parser emits an error for every further chunk of a broken request.
      if (ended.has(socket)) return;
      ended.add(socket);
      const problem = problemOf(error);
      const current = exchanges.get(socket);
      const open = current !== undefined && !current.response.writableFinished ? current : undefined;
      const answering = open !== undefined && (open.response.headersSent || open.request.complete);
      if (problem === undefined || answering || !socket.writable) {
        socket.destroy();
        return;
      }
      // After CONNECT Node has removed its listeners, and an 'error' without a listener would end the process.
      socket.on('error', () => {});
      const id = requestId(open?.request.headers ?? {}, dependencies.ids);
      socket.write(answerText(problem, id, dependencies.clock));
      dependencies.lingering.close(socket);
    },

    refuse(request, response, problem) {
      const { status, headers, body } = answerTo(problem, requestId(request.headers, dependencies.ids));
      response.writeHead(status, {
        ...headers,
        ...(request.httpVersionMajor === 1 ? { connection: 'close' } : {}),
      });
      response.end(body);
    },
  };
}

/** For CONNECT: this is no proxy. */
export function connectRefused(): Problem {
  return new Problem('invalid_request', 'CONNECT is not supported');
}

/** For a request that did not arrive completely in time. */
export function receiveTimeout(): Problem {
  return new Problem('request_timeout', 'The request was not received in time');
}

/**
 * Why a request that could be parsed must not reach a handler, or undefined: too many headers (they would be
 * cut off silently otherwise), or not exactly one host that can stand in a URL.
 */
export function requestProblem(
  request: Pick<IncomingMessage, 'headers' | 'method' | 'rawHeaders' | 'url'>,
  limits: HttpLimits,
): Problem | undefined {
  if (request.rawHeaders.length / 2 > limits.maxHeaderCount) {
    return new Problem('headers_too_large', `More than ${limits.maxHeaderCount} header fields`);
  }
  if (request.method === 'CONNECT') return connectRefused();
  if (!namesOneHost(request)) {
    return new Problem('invalid_request', 'Malformed HTTP request: missing or invalid Host');
  }
  return undefined;
}

/** Undefined for failures of the connection itself, after which no answer is possible. */
function problemOf(error: Error): Problem | undefined {
  if (error instanceof Problem) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return receiveTimeout();
  if (code === 'HPE_HEADER_OVERFLOW')
    return new Problem('headers_too_large', 'Request headers are too large');
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW')
    return new Problem('body_too_large', 'Chunk extensions are too large');
  if (code.startsWith('HPE_')) return new Problem('invalid_request', 'Malformed HTTP request');
  return undefined;
}

function answerText(problem: Problem, id: string, clock: Clock): string {
  const { status, headers, body } = answerTo(problem, id);
  const all = { ...headers, connection: 'close', date: new Date(clock.now()).toUTCString() };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}

function answerTo(problem: Problem, id: string) {
  const answer = errorAnswer(problem);
  const body = JSON.stringify(answer.body);
  return {
    status: answer.status,
    headers: {
      ...answer.headers,
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'x-request-id': id,
    },
    body,
  };
}
