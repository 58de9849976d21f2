const NEWLINE = 0x0a;
const SPACE = 0x20;

/** A result repeats its request, which may be of the largest size, and its answer may hold images as base64. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** Pieces of a line that are kept before they are joined: each takes memory beside its bytes, which may be few. */
const MAX_PIECES = 4096;

/**
 * Splits UTF-8 bytes into lines, however they are chunked. Empty lines and lines over the maximum are skipped. The next
 * chunk is pulled only when all lines before it were taken.
 */
export async function* readLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, undefined> {
  let partial: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    const buffer = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    let start = 0;
    for (let end = buffer.indexOf(NEWLINE); end >= 0; end = buffer.indexOf(NEWLINE, start)) {
      const line =
        bytes > MAX_LINE_BYTES ? NOTHING : trimmed(joined([...partial, buffer.subarray(start, end)]));
      partial = [];
      bytes = 0;
      start = end + 1;
      if (line.length > 0) yield line;
    }
    if (start === buffer.length) continue;
    bytes += buffer.length - start;
    if (bytes > MAX_LINE_BYTES) partial = [];
    else partial.push(buffer.subarray(start));
    if (partial.length > MAX_PIECES) partial = [Buffer.concat(partial)];
  }
  const line = bytes > MAX_LINE_BYTES ? NOTHING : trimmed(joined(partial));
  if (line.length > 0) yield line;
}

const NOTHING = Buffer.alloc(0);

function joined(buffers: readonly Buffer[]): Buffer {
  const [only] = buffers;
  return buffers.length === 1 && only !== undefined ? only : Buffer.concat(buffers);
}

/** Without the spaces around it. */
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
