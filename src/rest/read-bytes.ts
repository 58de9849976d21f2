import type { Readable } from 'node:stream';
import { errorCodes } from 'fastify';
import { collectGarbage, LARGE_BYTES } from '../base/collect-garbage.js';

/** A whole body. */
export interface BodyBytes {
  readonly bytes: Buffer;
  /** Gives the memory back at once, where that is worth it. Nobody may look at the bytes any more. */
  free(): void;
}

/** How large a body may be, and says that it is. */
interface BodyBounds {
  readonly limit: number;
  /** Its content-length; NaN where it says none. */
  readonly announced: number;
}

/**
 * Reads a body to its end; a large one that says its length has one piece of memory from the start. Rejects with
 * Fastify's own errors for one that is too large or not as long as it says.
 */
export function readBytes(payload: Readable, { limit, announced }: BodyBounds): Promise<BodyBytes> {
  return new Promise((resolve, reject) => {
    if (announced > limit) {
      reject(tooLarge());
      return;
    }
    const store = announced > LARGE_BYTES ? new OnePiece(announced) : new Pieces();
    let received = 0;
    const end = () => payload.off('data', onData).off('end', onEnd).off('error', onError);
    const onData = (chunk: Buffer) => {
      received += chunk.length;
      if (received <= limit && !(received > announced)) {
        store.add(chunk, received - chunk.length);
        return;
      }
      end();
      store.free();
      reject(received > limit ? tooLarge() : otherLength());
    };
    const onEnd = () => {
      end();
      if (!Number.isNaN(announced) && received !== announced) {
        reject(otherLength());
        return;
      }
      // The network's own pieces.
      if (received > LARGE_BYTES) collectGarbage();
      resolve(store);
    };
    const onError = (error: Error) => {
      end();
      reject(Object.assign(error, { statusCode: 400 }));
    };
    payload.on('data', onData).on('end', onEnd).on('error', onError).resume();
  });
}

const tooLarge = () => new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();
const otherLength = () => new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH();

/** Memory whose size can be set to nothing. */
class OnePiece implements BodyBytes {
  readonly #memory: ArrayBuffer;
  readonly bytes: Buffer;

  constructor(size: number) {
    // @ts-expect-error: a part of the language since ES2024 that every Node has which this runs on
    this.#memory = new ArrayBuffer(size, { maxByteLength: size });
    this.bytes = Buffer.from(this.#memory);
  }

  add(chunk: Buffer, at: number): void {
    this.bytes.set(chunk, at);
  }

  free(): void {
    // @ts-expect-error: as above
    this.#memory.resize(0);
  }
}

class Pieces implements BodyBytes {
  readonly #chunks: Buffer[] = [];

  get bytes(): Buffer {
    const [only] = this.#chunks;
    return only !== undefined && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks);
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  free(): void {
    this.#chunks.length = 0;
  }
}
