/** Amazon's binary event stream encoding: frames with headers, a payload and checksums. */
import { crc32 } from 'node:zlib';
import { ByteCollector } from '../../../base/memory/byte-collector.js';
import { malformed } from '../../common/failures.js';

/** The provider has the same limit. */
export const MAX_FRAME_BYTES = 16 * 1024 * 1024;

/** The provider has the same limit. */
const MAX_HEADERS_BYTES = 128 * 1024;

/** The lengths of frame and headers, and the checksum of both. */
const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;

export interface Frame {
  /** Headers of type string; others are skipped. */
  readonly headers: ReadonlyMap<string, string>;
  readonly payload: Buffer;
}

/**
 * Cuts a stream into frames, however its bytes are chunked. Throws `UpstreamFailure` `malformed` for a frame that is
 * too long or fails a checksum.
 */
export class FrameSplitter {
  readonly #pending = new ByteCollector();
  /** Bytes needed to continue: a prelude's, then those of its frame. */
  #needed = PRELUDE_BYTES;

  /** Whether a frame has begun and is not complete. */
  get isInside(): boolean {
    return this.#pending.length > 0;
  }

  push(chunk: Uint8Array): void {
    this.#pending.add(chunk);
  }

  /** The next frame; undefined until it is complete. */
  next(): Frame | undefined {
    if (this.#pending.length < this.#needed) return undefined;
    this.#needed = frameLength(this.#pending.bytes);
    if (this.#pending.length < this.#needed) return undefined;
    const frame = this.#pending.take(this.#needed);
    this.#needed = PRELUDE_BYTES;
    return decodeFrame(frame);
  }
}

/** Checked as soon as the prelude has arrived, before waiting for the rest. */
function frameLength(pending: Buffer): number {
  const length = pending.readUInt32BE(0);
  const headersLength = pending.readUInt32BE(4);
  const isPossible =
    length <= MAX_FRAME_BYTES &&
    headersLength <= Math.min(length - PRELUDE_BYTES - CHECKSUM_BYTES, MAX_HEADERS_BYTES);
  if (!isPossible || crc32(pending.subarray(0, 8)) !== pending.readUInt32BE(8)) throw malformed();
  return length;
}

function decodeFrame(frame: Buffer): Frame {
  const end = frame.length - CHECKSUM_BYTES;
  if (crc32(frame.subarray(0, end)) !== frame.readUInt32BE(end)) throw malformed();
  const headersEnd = PRELUDE_BYTES + frame.readUInt32BE(4);
  return {
    headers: readHeaders(frame.subarray(PRELUDE_BYTES, headersEnd)),
    payload: frame.subarray(headersEnd, end),
  };
}

/** Bytes of a header's value by its type; types 6 (bytes) and 7 (string) have a length prefix. */
const VALUE_BYTES: readonly (number | 'counted')[] = [0, 0, 1, 2, 4, 8, 'counted', 'counted', 8, 16];
const TEXT_TYPE = 7;

function readHeaders(bytes: Buffer): Map<string, string> {
  const headers = new Map<string, string>();
  let position = 0;
  const take = (count: number): Buffer => {
    position += count;
    if (position > bytes.length) throw malformed();
    return bytes.subarray(position - count, position);
  };
  while (position < bytes.length) {
    const name = take(take(1).readUInt8()).toString('utf8');
    const type = take(1).readUInt8();
    const size = VALUE_BYTES[type];
    if (size === undefined) throw malformed();
    const value = take(size === 'counted' ? take(2).readUInt16BE() : size);
    if (type === TEXT_TYPE) headers.set(name, value.toString('utf8'));
  }
  return headers;
}
