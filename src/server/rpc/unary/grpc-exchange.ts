import {
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { ConnectError } from '@connectrpc/connect';
import type { Problem } from '../../../base/problem.js';
import { FIXED_HEADERS } from '../../../http/headers.js';
import { type Caller, NOBODY } from '../../../rpc/caller.js';
import { toConnectError } from '../../../rpc/errors.js';
import type { IncomingRequest } from '../../guard/caller-checks.js';
import type { OpenAnswer } from '../../port/open-answers.js';
import { REQUEST_ID_HEADER } from '../../port/request-id.js';
import { enveloped } from '../wire/envelope.js';
import { statusTrailers } from '../wire/grpc-status.js';
import type { UnaryAnswer } from '../wire/protocol.js';
import type { CallRequest } from './options.js';

/** One unary call of gRPC on a stream: its request, and its answer. */
export class GrpcExchange implements IncomingRequest, CallRequest, OpenAnswer {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  readonly id: string;
  readonly method = 'POST';
  readonly query = {};
  readonly startedAtMs = performance.now();
  caller: Caller = NOBODY;
  readonly #answer: OutgoingHttpHeaders;

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, id: string) {
    this.stream = stream;
    this.headers = headers;
    this.id = id;
    this.#answer = { ':status': 200, [REQUEST_ID_HEADER]: id, ...FIXED_HEADERS, 'cache-control': 'no-store' };
  }

  get raw(): ServerHttp2Stream {
    return this.stream;
  }

  get sent(): boolean {
    return this.stream.headersSent;
  }

  get host(): string {
    return this.headers.host ?? this.headers[':authority'] ?? '';
  }

  get protocol(): 'http' | 'https' {
    return this.stream.session?.encrypted === true ? 'https' : 'http';
  }

  get ip(): string {
    return this.stream.session?.socket.remoteAddress ?? '';
  }

  /** Sets a header of the answer. */
  setHeader(name: string, value: number | string): void {
    this.#answer[name.toLowerCase()] = value;
  }

  header(name: string, value: string): void {
    this.setHeader(name, value);
  }

  /** Answers with a message, and the status in trailers. */
  answer({ contentType, bytes, encoding, header, trailer }: UnaryAnswer): void {
    const { stream } = this;
    if (stream.destroyed || stream.headersSent) return;
    for (const [name, value] of header) this.setHeader(name, value);
    if (encoding !== null) this.setHeader('grpc-encoding', encoding);
    this.setHeader('content-type', contentType);
    stream.on('wantTrailers', () => {
      if (!stream.destroyed && !stream.closed)
        stream.sendTrailers({ ...Object.fromEntries(trailer), 'grpc-status': '0' });
    });
    // Node adds `endStream` to a copy of these, unless it is there.
    stream.respond(this.#answer, { endStream: false, waitForTrailers: true });
    stream.end(enveloped(bytes, encoding !== null));
  }

  /** Answers with an error, whose status is in the headers: clients take it from there where they end the stream. */
  refuse(error: ConnectError): void {
    const { stream } = this;
    if (stream.destroyed) return;
    if (stream.headersSent) {
      stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      return;
    }
    for (const [name, value] of statusTrailers(error)) this.setHeader(name, value);
    this.setHeader('content-type', this.headers['content-type'] ?? '');
    stream.respond(this.#answer, { endStream: true });
  }

  send(problem: Problem): void {
    this.refuse(toConnectError(problem, undefined));
  }
}
