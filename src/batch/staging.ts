/** The requests of a batch as the provider's jobs read them: one JSON line each. */
import { setImmediate as turn } from 'node:timers/promises';
import { jsonBody } from '../base/json-body.js';
import type { BatchEndpoint, JsonObject, LineForm } from './ports.js';

/** A request as it was sent; its body is made when it is needed, so that no second copy of all of them is in memory. */
export interface SentRequest {
  readonly customId: string;
  /** In our dialect. */
  body(): JsonObject;
}

/** An endpoint, and the form in which its model is asked. */
export interface BatchForm extends BatchEndpoint {
  readonly form: LineForm;
}

/** Bytes that are sent at a time, unless a line is longer. */
const PIECE_BYTES = 64 * 1024;

/** Most bytes of UTF-8 that one UTF-16 unit comes to. */
const BYTES_PER_UNIT = 3;

/** The lines of all requests in pieces. Throws `ProviderFailure` `refused` at a request that the model can't be asked. */
export async function* stagedLines(
  requests: readonly SentRequest[],
  asking: BatchForm,
): AsyncGenerator<Uint8Array, void, undefined> {
  let piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
  let filled = 0;
  for (const [row, request] of requests.entries()) {
    const json = await jsonBody(asking.form.line(row, requestBody(request.body()), asking));
    if (typeof json !== 'string') {
      yield piece.subarray(0, filled);
      yield json;
      piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
      filled = piece.write('\n');
      continue;
    }
    const line = `${json}\n`;
    // A long line is counted rather than given room for the most that it may need.
    const most = line.length < PIECE_BYTES ? line.length * BYTES_PER_UNIT : Buffer.byteLength(line);
    if (filled > 0 && filled + most > piece.length) {
      yield piece.subarray(0, filled);
      piece = Buffer.allocUnsafeSlow(Math.max(PIECE_BYTES, most));
      filled = 0;
      await turn();
    } else if (most > piece.length) piece = Buffer.allocUnsafeSlow(most);
    filled += piece.write(line, filled);
  }
  yield piece.subarray(0, filled);
}

/** The body as the model is asked it: what concerns its route or a stream is gone. */
export function requestBody({ model, stream, stream_options, ...body }: JsonObject): JsonObject {
  return body;
}
