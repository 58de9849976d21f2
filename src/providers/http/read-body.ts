/** Reads the bodies of responses. */
import { PackedLists } from '../../base/json/bounded/packed-lists.js';
import { ByteCollector } from '../../base/memory/byte-collector.js';
import { runInSlices } from '../../base/time-slices.js';
import { ANSWER_LIMITS, answerJson } from '../common/answer-json.js';
import type { HttpBody } from './http-body.js';

/** The rest of a body is read, up to this many bytes and milliseconds, so that its connection can be reused. */
const MAX_DISCARDED_BYTES = 64 * 1024;
const DISCARDING_MS = 5_000;

/** A body's text. `isCut` if it was longer than the limit, where reading stopped. */
export interface BodyText {
  readonly text: string;
  readonly isCut: boolean;
}

/** Reads a body up to `maxBytes` and discards the rest. Throws `UpstreamFailure` when it breaks off. */
export async function readText(body: HttpBody, maxBytes: number): Promise<BodyText> {
  const { bytes, isCut } = await readBytes(body, maxBytes);
  return { text: bytes.toString('utf8'), isCut };
}

/** How the JSON of an answer is read. */
export interface AnswerReading {
  readonly maxAnswerBytes: number;
  /** Whether long lists of numbers become `Float64Array`s. */
  readonly packsNumbers?: boolean;
}

/**
 * Parses the JSON of an answer in slices; undefined if the body is longer than that, or not JSON. Throws
 * `UpstreamFailure` if the body breaks off, and `malformed` for more structure than an answer may have.
 */
export async function readJsonBody(
  body: HttpBody,
  { maxAnswerBytes, packsNumbers }: AnswerReading,
): Promise<unknown> {
  const lists = packsNumbers === true ? new PackedLists() : undefined;
  const { bytes, isCut } = await readBytes(body, maxAnswerBytes, lists);
  if (isCut) return undefined;
  const json = await runInSlices(answerJson(bytes, ANSWER_LIMITS));
  return lists === undefined ? json : lists.restored(json);
}

function readBytes(
  body: HttpBody,
  maxBytes: number,
  lists?: PackedLists,
): Promise<{ bytes: Buffer; isCut: boolean }> {
  return new Promise((resolve, reject) => {
    const collected = new ByteCollector();
    let length = 0;
    const finish = () => {
      if (lists !== undefined) collected.add(lists.end());
      const isCut = length > maxBytes;
      resolve({ bytes: withoutByteOrderMark(collected.take()).subarray(0, maxBytes), isCut });
    };
    body.pipeTo({
      take(read) {
        for (const piece of read) {
          length += piece.length;
          for (const rest of lists?.rest(piece) ?? [piece]) collected.add(rest);
        }
        if (length > maxBytes) {
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

/** Discards the rest of a body. Its connection is reused if the rest is short and arrives soon. */
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

/** The number of bytes in these pieces. */
export function lengthOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

function withoutByteOrderMark(bytes: Buffer): Buffer {
  const hasByteOrderMark = bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  return hasByteOrderMark ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
}
