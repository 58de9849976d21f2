import type { Readable } from 'node:stream';
import { errorCodes, type FastifyRequest } from 'fastify';
import { collectYoungGarbage } from '../base/collect-garbage.js';
import { LARGE_BYTES } from './body.js';

/** A whole body. */
export interface BodyBytes {
  readonly bytes: Buffer;
  /** Gives the memory back at once, where that is worth it. Nobody may look at the bytes any more. */
  free(): void;
}

/** What `readBytes` has read of the request; undefined where it has no body: Fastify parses none then. */
export function bytesOf({ body }: FastifyRequest): BodyBytes | undefined {
  return (body ?? undefined) as BodyBytes | undefined;
}

/**
 * A parser for Fastify: reads the body to its end, and leaves to the handler what it says. A large one is held in one
 * piece of memory from the start. Rejects with Fastify's own errors for one that is too large or not as long as it says.
 */
export function readBytes({ headers, routeOptions }: FastifyRequest, payload: Readable): Promise<BodyBytes> {
  const { bodyLimit: limit } = routeOptions;
  const announced = Number(headers['content-length'] ?? Number.NaN);
  return new Promise((resolve, reject) => {
    if (announced > limit) {
      reject(tooLarge());
      return;
    }
    let store: Store = announced > LARGE_BYTES ? new OnePiece(announced) : new Pieces();
    let received = 0;
    const end = () => payload.off('data', onData).off('end', onEnd).off('error', onError);
    const refuse = (error: unknown) => {
      end();
      store.free();
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      received += chunk.length;
      if (received > limit) refuse(tooLarge());
      else if (received > announced) refuse(otherLength());
      else keep(chunk);
    };
    // Memory that can't be had is thrown here, where nobody but the process would catch it.
    const keep = (chunk: Buffer) => {
      try {
        store.add(chunk);
        if (store instanceof Pieces && received > LARGE_BYTES) store = store.inOnePiece(limit);
      } catch (error) {
        refuse(error);
      }
    };
    const onEnd = () => {
      end();
      if (!Number.isNaN(announced) && received !== announced) {
        reject(otherLength());
        return;
      }
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

/** What a body is gathered in. */
interface Store extends BodyBytes {
  add(chunk: Buffer): void;
}

/** Memory of this step is taken at a time. */
const STEP_BYTES = 1024 * 1024;

/** As much may be held in chunks that were copied already. */
const COPIED_BYTES = 4 * STEP_BYTES;

/** Memory that grows without being copied, and whose size can be set to nothing. */
class OnePiece implements Store {
  readonly #memory: ArrayBuffer & Resizable;
  /** Of all of it, whatever its size is. */
  readonly #view: Uint8Array;
  #length = 0;
  #copied = 0;

  constructor(maxBytes: number) {
    this.#memory = resizable(maxBytes);
    this.#view = new Uint8Array(this.#memory);
  }

  get bytes(): Buffer {
    return Buffer.from(this.#memory, 0, this.#length);
  }

  add(chunk: Buffer): void {
    const { byteLength, maxByteLength } = this.#memory;
    const needed = this.#length + chunk.length;
    if (needed > byteLength) this.#memory.resize(Math.min(maxByteLength, needed + STEP_BYTES));
    this.#view.set(chunk, this.#length);
    this.#length = needed;
    this.#copied += chunk.length;
    if (this.#copied < COPIED_BYTES) return;
    this.#copied = 0;
    collectYoungGarbage();
  }

  free(): void {
    this.#memory.resize(0);
  }
}

class Pieces implements Store {
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

  inOnePiece(maxBytes: number): OnePiece {
    const whole = new OnePiece(maxBytes);
    for (const chunk of this.#chunks) whole.add(chunk);
    this.free();
    return whole;
  }
}

/** What the language has since ES2024, and the compiler's library not yet. */
interface Resizable {
  readonly maxByteLength: number;
  resize(byteLength: number): void;
}

/** Takes addresses for the most, and memory only for what it is resized to. */
function resizable(maxByteLength: number): ArrayBuffer & Resizable {
  const Memory = ArrayBuffer as unknown as new (
    byteLength: number,
    options: { readonly maxByteLength: number },
  ) => ArrayBuffer & Resizable;
  return new Memory(0, { maxByteLength });
}
