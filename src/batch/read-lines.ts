import { ProviderFailure } from './failure.js';

const NEWLINE = 0x0a;

/** Longest line: a result may hold an image as base64 text. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;

/**
 * The lines of a text in whatever pieces its bytes come, empty ones left out. A further piece is pulled only when all
 * lines before are taken. Throws `ProviderFailure` at a line that is too long.
 */
export async function* readLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  let begun: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    const buffer = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    let start = 0;
    for (let end = buffer.indexOf(NEWLINE); end >= 0; end = buffer.indexOf(NEWLINE, start)) {
      const line = textOf([...begun, buffer.subarray(start, end)]);
      begun = [];
      bytes = 0;
      start = end + 1;
      if (line !== '') yield line;
    }
    if (start === buffer.length) continue;
    begun.push(buffer.subarray(start));
    bytes += buffer.length - start;
    if (bytes > MAX_LINE_BYTES) {
      throw new ProviderFailure('A line of the results is too long', { kind: 'refused' });
    }
  }
  const line = textOf(begun);
  if (line !== '') yield line;
}

function textOf(buffers: readonly Buffer[]): string {
  const [only] = buffers;
  const whole = buffers.length === 1 && only !== undefined ? only : Buffer.concat(buffers);
  return whole.toString('utf8').trim();
}
