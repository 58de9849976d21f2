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
export function readText(body: HttpBody, maxBytes: number): Promise<BodyText> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Listening costs a fraction of what iterating does.
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => reject(networkFailure(error, 'answer'));
    if (body.errored !== null) return fail(body.errored);
    const take = (chunk: Buffer): void => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes <= maxBytes) return;
      body.off('data', take);
      discard(body);
      finish();
    };
    const finish = (): void => {
      const text = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, maxBytes));
      resolve({ text, isCut: bytes > maxBytes });
    };
    body.on('data', take);
    body.once('end', finish);
    body.once('error', fail);
  });
}

/** Lets go of what is left of a body; its connection lives on when that is little and comes soon. */
export function discard(body: HttpBody): void {
  body.dump({ limit: MAX_DISCARDED_BYTES }).catch(() => undefined);
}
