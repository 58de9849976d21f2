/** Writes the requests of a batch the way jobs read them: one JSON line each. */

import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { BodyTooLarge, jsonBody } from '../base/json/json-body.js';
import { runInSlices } from '../base/time-slices.js';
import type { JsonObject } from '../formats/json.js';
import { JobCallFailure } from './failure.js';
import type { BatchEndpoint, LineForm } from './ports.js';

/** A request as it was sent. Its body is parsed on demand, so that memory never holds a second copy of all bodies. */
export interface StagedRequest {
  readonly customId: string;
  /** In the chat format. */
  body(): JsonObject;
}

/** An endpoint, and the form of its model's lines. */
export interface BatchForm extends BatchEndpoint {
  readonly form: LineForm;
}

/** Maximum size of a chunk, unless a single line is longer. */
const PIECE_BYTES = 64 * 1024;

/** Maximum UTF-8 bytes of one UTF-16 code unit. */
const MAX_BYTES_PER_UNIT = 3;

/**
 * Yields the lines of all requests but the refused ones in chunks. Throws `JobCallFailure` `refused` at a request that the model does not
 * support.
 */
export async function* stagedLines(
  requests: readonly StagedRequest[],
  batchForm: BatchForm,
  refused: Pick<ReadonlyMap<number, unknown>, 'has'>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
  let filled = 0;
  for (const [row, request] of requests.entries()) {
    if (refused.has(row)) continue;
    const json = await lineOf(row, request, batchForm);
    if (typeof json !== 'string') {
      yield piece.subarray(0, filled);
      yield json;
      piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
      filled = piece.write('\n');
      continue;
    }
    const line = `${json}\n`;
    // Computing the exact size pays off for long lines only.
    const maxBytes = line.length < PIECE_BYTES ? line.length * MAX_BYTES_PER_UNIT : Buffer.byteLength(line);
    if (filled > 0 && filled + maxBytes > piece.length) {
      yield piece.subarray(0, filled);
      piece = Buffer.allocUnsafeSlow(Math.max(PIECE_BYTES, maxBytes));
      filled = 0;
      await yieldToOthers();
    } else if (maxBytes > piece.length) piece = Buffer.allocUnsafeSlow(maxBytes);
    filled += piece.write(line, filled);
  }
  yield piece.subarray(0, filled);
}

/** The body without the members for routing, caching and streaming. */
export function batchedBody({ model, cache, stream, stream_options, ...body }: JsonObject): JsonObject {
  return body;
}

async function lineOf(
  row: number,
  request: StagedRequest,
  batchForm: BatchForm,
): Promise<string | Uint8Array> {
  try {
    return await jsonBody(
      await runInSlices(batchForm.form.line(row, batchedBody(request.body()), batchForm)),
    );
  } catch (thrown) {
    if (!(thrown instanceof BodyTooLarge)) throw thrown;
    throw new JobCallFailure(thrown.message, { kind: 'refused', cause: thrown });
  }
}
