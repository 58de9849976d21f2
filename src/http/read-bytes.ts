import type { Readable } from 'node:stream';
import { errorCodes, type FastifyRequest } from 'fastify';
import { ByteCollector } from '../base/memory/byte-collector.js';
import { collectYoungGarbage } from '../base/memory/collect-garbage.js';
import { Problem } from '../base/problem.js';
import { LARGE_BYTES } from './body.js';
import { type ContentCoding, codingOf } from './content-coding.js';
import { DecodedBody } from './decoded-body.js';
import { LargeBody } from './large-body.js';

/** The bytes of a whole body. */
export interface BodyBytes {
  readonly bytes: Buffer;
  /** Releases the memory at once, where that pays. The bytes must not be read afterwards. */
  free(): void;
  /** Before the body becomes so many bytes. Throws a 429 Problem where the account may hold no more. */
  grow(bytes: number): void;
  /** Once it is known that it has become no more. */
  shrinkTo(bytes: number): void;
  /** Frees the bytes, and what of large bodies the process holds. To be called when the request is answered. */
  done(): void;
}

/** The body that `readBytes` has read; undefined for a request without one, for which Fastify calls no parser. */
export function bytesOf({ body }: FastifyRequest): BodyBytes | undefined {
  return (body ?? undefined) as BodyBytes | undefined;
}

/** A content type parser for Fastify that collects the body and leaves parsing to the handler. */
export function readBytes(request: FastifyRequest, payload: Readable): Promise<BodyBytes> {
  const { headers, routeOptions } = request;
  return collectBytes(payload, headers['content-length'], routeOptions.bodyLimit, ownerOf(request));
}

/**
 * As `readBytes`, for bodies that may have a content coding: these are the decoded bytes, and the limit holds before and after
 * it is decoded. Rejects with a 415 Problem for a coding that is not decoded here.
 */
export function readDecodedBytes(request: FastifyRequest, payload: Readable): Promise<BodyBytes> {
  const coding = codingOf(request.headers['content-encoding']);
  const isOver = payload.readableEnded || payload.destroyed;
  return coding === undefined || isOver
    ? readBytes(request, payload)
    : collectDecoded(request, payload, coding);
}

async function collectDecoded(
  request: FastifyRequest,
  payload: Readable,
  coding: ContentCoding,
): Promise<BodyBytes> {
  const { bodyLimit: limit } = request.routeOptions;
  const announced = Number(request.headers['content-length'] ?? Number.NaN);
  const decoded = new DecodedBody(payload, { coding, limit, announced });
  try {
    return await collectBytes(decoded, undefined, limit, ownerOf(request));
  } finally {
    decoded.destroy();
  }
}

function ownerOf(request: FastifyRequest): string {
  const { caller }: Partial<Pick<FastifyRequest, 'caller'>> = request;
  return bodyOwner(caller?.principal ?? {});
}

/** Who the memory of a body is counted for: an account, or everybody together where no account calls. */
export function bodyOwner(principal: object): string {
  return 'accountId' in principal ? String(principal.accountId) : '';
}

/**
 * Collects a body of at most `limit` bytes, a large one in one resizable buffer. Rejects with Fastify's own errors for
 * a body that is too large or not as long as its `Content-Length` says, and with a 429 Problem for a large one while
 * the account has too many of them in flight.
 */
export function collectBytes(
  payload: Readable,
  contentLength: string | undefined,
  limit: number,
  account: string,
): Promise<BodyBytes> {
  const announced = Number(contentLength ?? Number.NaN);
  const large = new LargeBody(account);
  return new Promise((resolve, reject) => {
    if (announced > limit) {
      reject(tooLarge());
      return;
    }
    let buffer: BodyBuffer = new Pieces();
    try {
      if (announced > LARGE_BYTES) {
        large.grow(announced);
        buffer = new OnePiece(announced);
      }
    } catch (error) {
      large.release();
      reject(error);
      return;
    }
    let received = 0;
    // A stream of HTTP/2 without a body ends before anybody reads it.
    if (payload.readableEnded) {
      resolve(new Collected(buffer, large));
      return;
    }
    const end = () =>
      payload.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose);
    const refuse = (error: unknown) => {
      end();
      buffer.free();
      large.release();
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      received += chunk.length;
      if (received > limit) refuse(tooLarge());
      else if (received > announced) refuse(otherLength());
      else append(chunk);
    };
    // A failed allocation throws here, in an event listener, where it would be an uncaught exception.
    const append = (chunk: Buffer) => {
      try {
        large.grow(received);
        buffer.add(chunk);
        if (buffer instanceof Pieces && received > LARGE_BYTES) buffer = buffer.inOnePiece(limit);
      } catch (error) {
        refuse(error);
      }
    };
    const onEnd = () => {
      end();
      if (!Number.isNaN(announced) && received !== announced) refuse(otherLength());
      else resolve(new Collected(buffer, large));
    };
    const onError = (error: Error) =>
      refuse(isAnswer(error) ? error : Object.assign(error, { statusCode: 400 }));
    // A stream of HTTP/2 whose connection is lost may end in nothing else.
    const onClose = () => refuse(otherLength());
    if (payload.destroyed) onClose();
    else payload.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose).resume();
  });
}

/** Whether the error says what to answer. */
function isAnswer(error: Error): boolean {
  return error instanceof Problem || 'statusCode' in error;
}

const tooLarge = () => new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();
const otherLength = () => new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH();

/** Collects the chunks of a body, however small they are. */
interface BodyBuffer extends Pick<BodyBytes, 'bytes' | 'free'> {
  add(chunk: Buffer): void;
}

class Collected implements BodyBytes {
  readonly #buffer: BodyBuffer;
  readonly #large: LargeBody;

  constructor(buffer: BodyBuffer, large: LargeBody) {
    this.#buffer = buffer;
    this.#large = large;
  }

  get bytes(): Buffer {
    return this.#buffer.bytes;
  }

  free(): void {
    this.#buffer.free();
  }

  grow(bytes: number): void {
    this.#large.grow(bytes);
  }

  shrinkTo(bytes: number): void {
    this.#large.shrinkTo(bytes);
  }

  done(): void {
    this.#buffer.free();
    this.#large.release();
  }
}

/** The buffer grows in steps of this size. */
const STEP_BYTES = 1024 * 1024;

/** Bytes of copied chunks after which a garbage collection pays. */
const COPIED_BYTES = 4 * STEP_BYTES;

/** A resizable buffer: it grows without being copied, and is freed by resizing it to nothing. */
class OnePiece implements BodyBuffer {
  readonly #memory: ArrayBuffer & Resizable;
  /** Follows the buffer's size. */
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

class Pieces implements BodyBuffer {
  readonly #collected = new ByteCollector();

  get bytes(): Buffer {
    return this.#collected.bytes;
  }

  add(chunk: Buffer): void {
    this.#collected.add(chunk);
  }

  free(): void {
    this.#collected.take();
  }

  inOnePiece(maxBytes: number): OnePiece {
    const whole = new OnePiece(maxBytes);
    whole.add(this.#collected.take());
    return whole;
  }
}

/** Resizable buffers are ES2024, which the compiler's library does not cover yet. */
interface Resizable {
  readonly maxByteLength: number;
  resize(byteLength: number): void;
}

/** Reserves address space for the max size, and memory only for the current one. */
function resizable(maxByteLength: number): ArrayBuffer & Resizable {
  const Memory = ArrayBuffer as unknown as new (
    byteLength: number,
    options: { readonly maxByteLength: number },
  ) => ArrayBuffer & Resizable;
  return new Memory(0, { maxByteLength });
}
