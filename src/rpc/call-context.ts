import type { HandlerContext, StreamRequest, UnaryRequest } from '@connectrpc/connect';
import { noHeaders } from '../base/no-headers.js';

/** What an implementation is told of its call. Its headers are made when they are first used: most calls set none. */
export class CallContext implements HandlerContext {
  readonly method: HandlerContext['method'];
  readonly service: HandlerContext['service'];
  readonly signal: AbortSignal;
  readonly requestMethod: string;
  readonly requestHeader: Headers;
  readonly values: HandlerContext['values'];
  readonly url: string;
  readonly protocolName = 'in-process';
  #header: Headers | undefined;
  #trailer: Headers | undefined;

  constructor(request: UnaryRequest | StreamRequest) {
    this.method = request.method;
    this.service = request.service;
    this.signal = request.signal;
    this.requestMethod = request.requestMethod;
    this.requestHeader = request.header;
    this.values = request.contextValues;
    this.url = request.url;
  }

  get responseHeader(): Headers {
    this.#header ??= new Headers();
    return this.#header;
  }

  get responseTrailer(): Headers {
    this.#trailer ??= new Headers();
    return this.#trailer;
  }

  /** The headers that the implementation has set. */
  get header(): Headers {
    return this.#header ?? noHeaders();
  }

  get trailer(): Headers {
    return this.#trailer ?? noHeaders();
  }

  timeoutMs(): undefined {
    return undefined;
  }
}
