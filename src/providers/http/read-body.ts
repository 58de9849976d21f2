/** Reads the bodies of responses. */
import type { HttpBody } from './http-body.js';

/** Up to so many bytes and milliseconds, the rest of a body is read so that its connection can be reused. */
const MAX_DISCARDED_BYTES = 64 * 1024;
const DISCARDING_MS = 5_000;

/** A body's text; `isCut` when it was longer than the limit, where reading ended. */
export interface BodyText {
  readonly text: string;
  readonly isCut: boolean;
}

/** Reads a body up to `maxBytes` and discards the rest. Throws `UpstreamFailure` when it breaks off. */
export function readText(body: HttpBody, maxBytes: number): Promise<BodyText> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const finish = () => resolve({ text: textOf(chunks, maxBytes), isCut: bytes > maxBytes });
    body.pipeTo({
      take(read) {
        chunks.push(...read);
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

function lengthOf(chunks: readonly Buffer[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}

/** Without a byte order mark. */
function textOf(chunks: readonly Buffer[], maxBytes: number): string {
  const [first] = chunks;
  const all = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
  const text = all.toString('utf8', 0, Math.min(all.length, maxBytes));
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
