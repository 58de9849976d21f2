import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptsGzip } from '../http/accept-encoding.js';
import { addVary } from '../http/headers.js';

/** Content type of REST's JSON answers. */
export const JSON_ANSWER = 'application/json; charset=utf-8';

/** `Cache-Control` of answers that depend on the caller, and that clients may keep if they ask each time. */
export const REVALIDATED = 'private, no-cache';

/** Smaller answers are not compressed: that would cost more than it saves. */
const MIN_GZIP_BYTES = 1024;

/** A serialised answer, and once somebody takes it so, the same compressed. */
export class Rendered {
  readonly bytes: Buffer;
  readonly contentType: string;
  readonly #onGzip: (bytes: number) => void;
  #etag: string | undefined;
  #gzipBytes = 0;
  #gzipped: Promise<Buffer> | undefined;

  /** `onGzip` is told the size of the compressed bytes, which are kept too. */
  constructor(content: string | Uint8Array, contentType: string, onGzip: (bytes: number) => void = () => {}) {
    this.bytes = Buffer.from(content);
    this.contentType = contentType;
    this.#onGzip = onGzip;
  }

  get etag(): string {
    this.#etag ??= createHash('sha256').update(this.bytes).digest('base64url');
    return this.#etag;
  }

  /** All bytes that are kept. */
  get size(): number {
    return this.bytes.length + this.#gzipBytes;
  }

  get isWorthGzip(): boolean {
    return this.bytes.length >= MIN_GZIP_BYTES;
  }

  /** Compressed on a thread, once. */
  gzipped(): Promise<Buffer> {
    this.#gzipped ??= this.#compress();
    return this.#gzipped;
  }

  async #compress(): Promise<Buffer> {
    const bytes = await promisify(gzip)(this.bytes);
    this.#gzipBytes = bytes.length;
    this.#onGzip(bytes.length);
    return bytes;
  }
}

/**
 * Answers with what was rendered, compressed where the client takes that, or with 304 when it has it already. Each
 * sequence of bytes has an ETag of its own (RFC 9110 section 8.8.3.3).
 */
export async function sendRendered(
  rendered: Rendered,
  cacheControl: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { headers } = request;
  const isGzip = rendered.isWorthGzip && acceptsGzip(textOf(headers['accept-encoding']));
  const etag = isGzip ? `"${rendered.etag}.gzip"` : `"${rendered.etag}"`;
  reply.header('ETag', etag).header('Cache-Control', cacheControl);
  addVary(reply, 'Accept-Encoding');
  if (matches(headers['if-none-match'], etag)) return reply.code(304).send();
  reply.header('Content-Type', rendered.contentType);
  if (!isGzip) return reply.send(rendered.bytes);
  return reply.header('Content-Encoding', 'gzip').send(await rendered.gzipped());
}

/** Node joins repeated headers of this name into one text, which the types do not say. */
function textOf(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** If-None-Match compares weakly (RFC 9110, section 13.1.2). */
function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((part) => {
    const candidate = part.trim();
    return candidate === '*' || candidate === etag || candidate === `W/${etag}`;
  });
}
