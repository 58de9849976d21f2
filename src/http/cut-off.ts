import type { ServerResponse } from 'node:http';
import { constants, type ServerHttp2Stream } from 'node:http2';

/** Breaks an answer off so that the client can't take it for complete. */
export function cutOff(raw: ServerResponse): void {
  const { stream } = raw as { readonly stream?: ServerHttp2Stream };
  // A stream of HTTP/2 that is merely destroyed is reset without an error.
  if (stream === undefined) raw.destroy();
  else stream.close(constants.NGHTTP2_INTERNAL_ERROR);
}
