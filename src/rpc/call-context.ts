import type { HandlerContext, StreamRequest, UnaryRequest } from '@connectrpc/connect';

/** What an implementation is told of its call. */
export class CallContext implements HandlerContext {
  readonly method: HandlerContext['method'];
  readonly service: HandlerContext['service'];
  readonly signal: AbortSignal;
  readonly requestMethod: string;
  readonly requestHeader: Headers;
  readonly values: HandlerContext['values'];
  readonly url: string;
  readonly protocolName = 'in-process';
  readonly responseHeader = new Headers();
  readonly responseTrailer = new Headers();

  constructor(request: UnaryRequest | StreamRequest) {
    this.method = request.method;
    this.service = request.service;
    this.signal = request.signal;
    this.requestMethod = request.requestMethod;
    this.requestHeader = request.header;
    this.values = request.contextValues;
    this.url = request.url;
  }

  timeoutMs(): undefined {
    return undefined;
  }
}
