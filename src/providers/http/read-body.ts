/** Reads the bodies of responses. */
import type { HttpBody } from './http-body.js';
import { networkFailure } from './network-failure.js';

/** Up to so many bytes and milliseconds, the rest of a body is read so that its connection can be reused. */
const MAX_DISCARDED_BYTES = 64 * 1024;
const DISCARDING_MS = 5_000;

/**
 * The chunks of a body as they are pulled, each told to `onBytes` first; ending early leaves it open. Throws `UpstreamFailure`
 * when it breaks off.
 */
export async function* readChunks(
  body: HttpBody,
  onBytes?: () => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for (let chunk = await body.next(); chunk !== undefined; chunk = await body.next()) {
      onBytes?.();
      yield chunk;
    }
  } catch (error) {
    throw networkFailure(error, 'answer');
  }
}

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
      take(chunk) {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes <= maxBytes) return;
        discard(body);
        finish();
      },
      end: finish,
      fail: (error) => reject(networkFailure(error, 'answer')),
    });
  });
}

/** Discards the rest of a body; its connection is reused when the rest is short and comes soon. */
export function discard(body: HttpBody): void {
  let bytes = 0;
  const timer = setTimeout(() => body.destroy(), DISCARDING_MS).unref();
  const end = () => clearTimeout(timer);
  body.pipeTo({
    take(chunk) {
      bytes += chunk.length;
      if (bytes > MAX_DISCARDED_BYTES) body.destroy();
    },
    end,
    fail: end,
  });
}

/** Without a byte order mark. */
function textOf(chunks: readonly Buffer[], maxBytes: number): string {
  const [first] = chunks;
  const all = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
  const text = all.toString('utf8', 0, Math.min(all.length, maxBytes));
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
