const NEWLINE = 0x0a;

/** A result repeats its request, which may be of the largest size, and its answer may hold images as base64. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/**
 * Splits UTF-8 bytes into lines, however they are chunked. Empty lines and lines over the maximum are skipped. The next
 * chunk is pulled only when all lines before it were taken.
 */
export async function* readLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  let partial: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    const buffer = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    let start = 0;
    for (let end = buffer.indexOf(NEWLINE); end >= 0; end = buffer.indexOf(NEWLINE, start)) {
      const line = bytes > MAX_LINE_BYTES ? '' : textOf([...partial, buffer.subarray(start, end)]);
      partial = [];
      bytes = 0;
      start = end + 1;
      if (line !== '') yield line;
    }
    if (start === buffer.length) continue;
    bytes += buffer.length - start;
    if (bytes > MAX_LINE_BYTES) partial = [];
    else partial.push(buffer.subarray(start));
  }
  const line = bytes > MAX_LINE_BYTES ? '' : textOf(partial);
  if (line !== '') yield line;
}

function textOf(buffers: readonly Buffer[]): string {
  const [only] = buffers;
  const whole = buffers.length === 1 && only !== undefined ? only : Buffer.concat(buffers);
  return whole.toString('utf8').trim();
}
