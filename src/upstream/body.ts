/** Reading the bodies of providers' answers. */
import type { HttpBody } from './http.js';
import { networkFailure } from './network-failure.js';

/** Bytes of an answer's rest that are read for the sake of keeping its connection. */
const MAX_DISCARDED_BYTES = 64 * 1024;

/** The body piece by piece, as it is pulled; ending early leaves it open. Throws `UpstreamFailure` when it breaks off. */
export async function* readChunks(body: HttpBody): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body.iterator({ destroyOnReturn: false });
  } catch (error) {
    throw networkFailure(error, 'answer');
  }
}

/** A body's text; `isCut` when it was longer than the bound, which is where reading ended. */
export interface BodyText {
  readonly text: string;
  readonly isCut: boolean;
}

/** Reads a body up to `maxBytes` and discards the rest. Throws `UpstreamFailure` when it breaks off. */
export async function readText(body: HttpBody, maxBytes: number): Promise<BodyText> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of readChunks(body)) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) break;
  }
  discard(body);
  const text = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, maxBytes));
  return { text, isCut: bytes > maxBytes };
}

/** Lets go of what is left of a body; its connection lives on when that is little and comes soon. */
export function discard(body: HttpBody): void {
  body.dump({ limit: MAX_DISCARDED_BYTES }).catch(() => undefined);
}
