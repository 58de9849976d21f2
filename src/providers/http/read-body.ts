/** Reads the bodies of responses. */
import { runInSlices } from '../../base/time-slices.js';
import { ANSWER_LIMITS, answerJson } from './answer-json.js';
import type { HttpBody } from './http-body.js';

/** Up to so many bytes and milliseconds, the rest of a body is read so that its connection can be reused. */
const MAX_DISCARDED_BYTES = 64 * 1024;
const DISCARDING_MS = 5_000;

/** Pieces that are kept before they are joined: each takes memory beside its bytes, which may be few. */
const MAX_PIECES = 4096;

/** A body's text; `isCut` when it was longer than the limit, where reading ended. */
export interface BodyText {
  readonly text: string;
  readonly isCut: boolean;
}

/** Reads a body up to `maxBytes` and discards the rest. Throws `UpstreamFailure` when it breaks off. */
export async function readText(body: HttpBody, maxBytes: number): Promise<BodyText> {
  const { bytes, isCut } = await readBytes(body, maxBytes);
  return { text: bytes.toString('utf8'), isCut };
}

/**
 * The JSON of an answer, read in slices; undefined where the body is longer than `maxBytes` or not JSON. Throws
 * `UpstreamFailure` when it breaks off, and `malformed` for more structure than an answer may have.
 */
export async function readJsonBody(body: HttpBody, maxBytes: number): Promise<unknown> {
  const { bytes, isCut } = await readBytes(body, maxBytes);
  return isCut ? undefined : runInSlices(answerJson(bytes, ANSWER_LIMITS));
}

function readBytes(body: HttpBody, maxBytes: number): Promise<{ bytes: Buffer; isCut: boolean }> {
  return new Promise((resolve, reject) => {
    let pieces: Buffer[] = [];
    let bytes = 0;
    const finish = () => resolve({ bytes: wholeOf(pieces, maxBytes), isCut: bytes > maxBytes });
    body.pipeTo({
      take(read) {
        pieces.push(joined(read));
        if (pieces.length > MAX_PIECES) pieces = [Buffer.concat(pieces)];
        bytes += lengthOf(read);
        if (bytes > maxBytes) {
          discard(body);
          finish();
        }
        return true;
      },
      end: finish,
      fail: reject,
    });
  });
}

/** Discards the rest of a body; its connection is reused when the rest is short and comes soon. */
export function discard(body: HttpBody): void {
  let bytes = 0;
  const timer = setTimeout(() => body.destroy(), DISCARDING_MS).unref();
  const end = () => clearTimeout(timer);
  body.pipeTo({
    take(read) {
      bytes += lengthOf(read);
      if (bytes > MAX_DISCARDED_BYTES) body.destroy();
      return true;
    },
    end,
    fail: end,
  });
}

/** How many bytes there are in these pieces. */
export function lengthOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/** Up to `maxBytes`, without a byte order mark. */
function wholeOf(pieces: readonly Buffer[], maxBytes: number): Buffer {
  const all = joined(pieces);
  const hasMark = all.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  return all.subarray(hasMark ? BYTE_ORDER_MARK.length : 0, maxBytes);
}

/** Pieces of one read are views of the same memory: one of a few bytes holds all of it. */
function joined(pieces: readonly Buffer[]): Buffer {
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
}
