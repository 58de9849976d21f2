import { Readable } from 'node:stream';
import { errorCodes } from 'fastify';
import { brokenBody } from './body.js';
import { type ContentCoding, type Decoder, decoderOf } from './content-coding.js';
import { ZstdFrames } from './zstd-frames.js';

interface Coded {
  readonly coding: ContentCoding;
  /** Max bytes before decoding. */
  readonly limit: number;
  /** The `Content-Length`; NaN where none was sent. */
  readonly announced: number;
}

/**
 * The bytes of a coded body, decoded on a thread while they arrive and are read. Fails with a 400 Problem where the body is not
 * coded so, is cut short or goes on after its end, and with Fastify's own errors where it is larger than `limit` or not as long
 * as announced. A body without a byte is empty. Once destroyed, it leaves the rest of the body unread.
 */
export class DecodedBody extends Readable {
  readonly #payload: Readable;
  readonly #coded: Coded;
  readonly #decoder: Decoder;
  readonly #frames: ZstdFrames | undefined;
  #received = 0;

  constructor(payload: Readable, coded: Coded) {
    super();
    this.#payload = payload;
    this.#coded = coded;
    this.#decoder = decoderOf(coded.coding);
    this.#frames = coded.coding === 'zstd' ? new ZstdFrames() : undefined;
    this.#decoder.on('data', (decoded: Buffer) => {
      if (!this.push(decoded)) this.#decoder.pause();
    });
    this.#decoder.on('end', () => this.#end());
    this.#decoder.on('error', () => void this.destroy(brokenCoding()));
    this.#decoder.on('drain', () => void payload.resume());
    payload.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onError);
    payload.on('close', this.#onClose);
  }

  override _read(): void {
    this.#decoder.resume();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const payload = this.#payload;
    payload.off('data', this.#onData).off('end', this.#onEnd).off('error', this.#onError);
    payload.off('close', this.#onClose).resume();
    this.#decoder.destroy();
    done(error);
  }

  readonly #onData = (piece: Buffer) => {
    const { limit, announced } = this.#coded;
    this.#received += piece.length;
    if (this.#received > limit) this.destroy(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
    else if (this.#received > announced) this.destroy(otherLength());
    else this.#decode(piece);
  };

  #decode(piece: Buffer): void {
    const parts = this.#frames === undefined ? [piece] : this.#frames.split(piece);
    if (parts === undefined) this.destroy(brokenCoding());
    for (const part of parts ?? []) if (!this.#decoder.write(part)) this.#payload.pause();
  }

  readonly #onEnd = () => {
    const { announced } = this.#coded;
    if (!Number.isNaN(announced) && this.#received !== announced) this.destroy(otherLength());
    else if (this.#received === 0) this.push(null);
    else if (this.#frames?.isComplete === false) this.destroy(brokenCoding());
    else this.#decoder.end();
  };

  readonly #onError = (error: Error) => void this.destroy(error);

  // A stream of HTTP/2 whose connection is lost may end in nothing else.
  readonly #onClose = () => {
    if (!this.#payload.readableEnded) this.destroy(otherLength());
  };

  /** The decoder ends with what is coded, whatever follows. */
  #end(): void {
    if (this.#decoder.bytesWritten === this.#received) this.push(null);
    else this.destroy(brokenCoding());
  }
}

const otherLength = () => new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH();

function brokenCoding() {
  return brokenBody('compression', 'The body is not compressed as Content-Encoding says, or not whole');
}
