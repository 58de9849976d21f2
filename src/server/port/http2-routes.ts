import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';

/** Serves one stream. Called before anything of the body has been read. */
export type Http2StreamHandler = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

/**
 * Requests that are served as streams of HTTP/2, without Node's compatibility layer and without Fastify, which take
 * longer than a small call itself.
 */
export class Http2Routes {
  /** By path and content type. */
  readonly #handlers = new Map<string, Http2StreamHandler>();

  /** Serves POST requests to the path that have one of these content types, spelled so. */
  post(path: string, contentTypes: readonly string[], handler: Http2StreamHandler): void {
    for (const contentType of contentTypes) this.#handlers.set(`${path} ${contentType}`, handler);
  }

  /**
   * Undefined for requests that are served as any other. What a browser sends across origins is among them, since the
   * headers that allow it are Fastify's.
   */
  find(headers: IncomingHttpHeaders): Http2StreamHandler | undefined {
    if (headers[':method'] !== 'POST' || headers.origin !== undefined || headers.expect !== undefined)
      return undefined;
    return this.#handlers.get(`${headers[':path']} ${headers['content-type']}`);
  }
}
