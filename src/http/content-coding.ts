/** Content codings of request bodies (RFC 9110 section 8.4.1). */
import type { Transform } from 'node:stream';
import zlib from 'node:zlib';
import { Problem } from '../base/problem.js';

export type ContentCoding = 'gzip' | 'br' | 'zstd';

/** Decoders hand on this much at once. */
const CHUNK_BYTES = 64 * 1024;

/** 8 MiB: what a decoder must take, and an encoder may use at most (RFC 9659 section 3). */
const MAX_ZSTD_WINDOW_LOG = 23;

/** `ZSTD_d_windowLogMax`. */
const ZSTD_WINDOW_LOG_MAX = 100;

/** What Node has from 22.15 on, and the types of older ones do not. */
interface ZstdOfNode {
  readonly createZstdDecompress?: (options: ZstdOptions) => Decoder;
}

interface ZstdOptions {
  readonly chunkSize: number;
  readonly params: Readonly<Record<number, number>>;
}

/** `bytesWritten`: how much of what was written it has used. */
export type Decoder = Transform & zlib.Zlib;

const { createZstdDecompress } = zlib as ZstdOfNode;

const DECODERS: ReadonlyMap<ContentCoding, () => Decoder> = new Map<ContentCoding, () => Decoder>([
  ['gzip', () => zlib.createGunzip({ chunkSize: CHUNK_BYTES })],
  ['br', () => zlib.createBrotliDecompress({ chunkSize: CHUNK_BYTES })],
  ...(createZstdDecompress === undefined ? [] : [zstd(createZstdDecompress)]),
]);

function zstd(
  create: NonNullable<ZstdOfNode['createZstdDecompress']>,
): [coding: ContentCoding, create: () => Decoder] {
  const params = { [ZSTD_WINDOW_LOG_MAX]: MAX_ZSTD_WINDOW_LOG };
  return ['zstd', () => create({ chunkSize: CHUNK_BYTES, params })];
}

/** Those that this Node decodes. */
export const CONTENT_CODINGS: readonly ContentCoding[] = [...DECODERS.keys()];

/** Whether the `Content-Encoding` names no coding. */
export function isIdentity(contentEncoding: string | undefined): boolean {
  return contentEncoding === undefined || namedCodings(contentEncoding).length === 0;
}

/**
 * The coding of a body; undefined for none. Throws a 415 Problem for one that is not decoded here, and for several: each further
 * one could make a body of any size of the few bytes of the one around it.
 */
export function codingOf(contentEncoding: string | undefined): ContentCoding | undefined {
  if (contentEncoding === undefined) return undefined;
  const [name, ...others] = namedCodings(contentEncoding);
  if (name === undefined) return undefined;
  const coding = CONTENT_CODINGS.find((known) => known === name);
  if (coding !== undefined && others.length === 0) return coding;
  throw new Problem(
    'unsupported_encoding',
    `Content-Encoding: must be one of ${CONTENT_CODINGS.join(', ')}, or left out`,
  );
}

/** In lower case, without those that say nothing. `x-gzip` is gzip (section 8.4.1.3). */
function namedCodings(contentEncoding: string): string[] {
  return contentEncoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
    .map((name) => (name === 'x-gzip' ? 'gzip' : name));
}

/** For one of `CONTENT_CODINGS`. */
export function decoderOf(coding: ContentCoding): Decoder {
  const create = DECODERS.get(coding);
  if (create === undefined) throw new TypeError(`Node has no decoder for ${coding}`);
  return create();
}
