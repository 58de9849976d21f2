const NEWLINE = 0x0a;

/** Longest line: a request of the largest size comes back in its result, and the answer may hold images as base64 text. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/**
 * The lines of a text in whatever pieces its bytes come, but for empty ones and such as are too long. A further piece
 * is pulled only when all lines before are taken.
 */
export async function* readLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  let begun: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    const buffer = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    let start = 0;
    for (let end = buffer.indexOf(NEWLINE); end >= 0; end = buffer.indexOf(NEWLINE, start)) {
      const line = bytes > MAX_LINE_BYTES ? '' : textOf([...begun, buffer.subarray(start, end)]);
      begun = [];
      bytes = 0;
      start = end + 1;
      if (line !== '') yield line;
    }
    if (start === buffer.length) continue;
    bytes += buffer.length - start;
    if (bytes > MAX_LINE_BYTES) begun = [];
    else begun.push(buffer.subarray(start));
  }
  const line = bytes > MAX_LINE_BYTES ? '' : textOf(begun);
  if (line !== '') yield line;
}

function textOf(buffers: readonly Buffer[]): string {
  const [only] = buffers;
  const whole = buffers.length === 1 && only !== undefined ? only : Buffer.concat(buffers);
  return whole.toString('utf8').trim();
}
