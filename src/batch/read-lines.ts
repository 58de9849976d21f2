import { ByteCollector } from '../base/memory/byte-collector.js';

const NEWLINE = 0x0a;
const SPACE = 0x20;

/** A result repeats its request, which may have the maximum size, and its answer may hold images in base64. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/**
 * Splits UTF-8 bytes into lines, however they are chunked. Skips empty lines and lines over the maximum. The next
 * chunk is pulled only after all lines before it were taken.
 */
export async function* readLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, undefined> {
  const partial = new ByteCollector();
  let bytes = 0;
  const add = (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > MAX_LINE_BYTES) partial.take();
    else partial.add(piece);
  };
  const take = () => {
    bytes = 0;
    return trimmed(partial.take());
  };
  for await (const piece of pieces) {
    const buffer = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    let start = 0;
    for (let end = buffer.indexOf(NEWLINE); end >= 0; end = buffer.indexOf(NEWLINE, start)) {
      add(buffer.subarray(start, end));
      start = end + 1;
      const line = take();
      if (line.length > 0) yield line;
    }
    add(buffer.subarray(start));
  }
  const line = take();
  if (line.length > 0) yield line;
}

/** The line without white space at its ends. */
function trimmed(line: Buffer): Buffer {
  let start = 0;
  let end = line.length;
  while (start < end && isSpace(line[start])) start += 1;
  while (end > start && isSpace(line[end - 1])) end -= 1;
  return line.subarray(start, end);
}

function isSpace(byte: number | undefined): boolean {
  return byte !== undefined && byte <= SPACE;
}
