import { type Compression, compressionNegotiate } from '@connectrpc/connect/protocol';
import { compressionBrotli, compressionGzip } from '@connectrpc/connect-node';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../../base/problem.js';
import { undeclaredEncoding, unknownEncoding } from '../../../rpc/protocol-errors.js';
import { decodeError } from '../decode-errors.js';
import type { PackedMessage, UnaryProtocol } from './protocol.js';

/** How a call's messages are compressed; null = not at all. */
export interface Encodings {
  readonly request: Compression | null;
  readonly answer: Compression | null;
}

const AVAILABLE = [compressionGzip, compressionBrotli];

/** Compressing less costs more than it saves. */
const MIN_BYTES = 1024;

/**
 * Text of any kind becomes at most some twenty times as small, the same message again and again a hundred times. What
 * is beyond was made to be large, of next to nothing.
 */
const MAX_RATIO = 200;

/** As much may come of however little. */
const HARMLESS_BYTES = 256 * 1024;

/** What the headers agree on. Throws a protocol error for an encoding that is not available, and tells which are. */
export function encodingsOf(
  { headers: { encoding, acceptEncoding } }: UnaryProtocol,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): Encodings {
  return negotiated(textOf(headers[encoding]), { headers, acceptEncoding }, reply);
}

/** As `encodingsOf`, for a message whose encoding stands elsewhere than in a header. */
export function negotiated(
  encoding: string | null,
  { headers, acceptEncoding }: { headers: FastifyRequest['headers']; acceptEncoding: string },
  reply: FastifyReply,
): Encodings {
  const accepted = textOf(headers[acceptEncoding]);
  if (encoding === null && accepted === null) return NONE;
  const { request, response, error } = compressionNegotiate(AVAILABLE, encoding, accepted, acceptEncoding);
  if (error === undefined) return { request, answer: response };
  reply.header(acceptEncoding, AVAILABLE.map(({ name }) => name).join(', '));
  throw unknownEncoding();
}

/** The compression of that name; undefined where it is not available. */
export function compressionNamed(encoding: string | null): Compression | undefined {
  return AVAILABLE.find(({ name }) => name === encoding);
}

/**
 * The message's bytes, at most `mostBytes` of them. Throws a Problem for what is larger, or not compressed as said; a
 * protocol error where it is not said how.
 */
export async function decoded(
  { bytes, isEncoded }: PackedMessage,
  { request }: Encodings,
  maxBytes: number,
): Promise<Uint8Array> {
  if (request === null && isEncoded === true) throw undeclaredEncoding();
  if (request === null || isEncoded === false) {
    if (bytes.byteLength > maxBytes) throw new Problem('body_too_large', 'Request body is too large');
    return bytes;
  }
  return decompressed(bytes, request, maxBytes);
}

/**
 * The bytes that were compressed so, at most `mostBytes` of them. Throws a Problem for what is larger, is more than
 * `MAX_RATIO` times as large as it was sent, or is not compressed so.
 */
export async function decompressed(
  bytes: Uint8Array,
  compression: Compression,
  maxBytes: number,
): Promise<Uint8Array> {
  try {
    const most = Math.max(HARMLESS_BYTES, bytes.length * MAX_RATIO);
    return await compression.decompress(bytes, Math.min(maxBytes, most));
  } catch (thrown) {
    throw decodeError(thrown, 'compression');
  }
}

/** The bytes as they are sent, and the name of their encoding. */
export async function encoded(
  bytes: Uint8Array,
  { answer }: Encodings,
): Promise<{ bytes: Uint8Array; encoding: string | null }> {
  if (answer === null || bytes.byteLength < MIN_BYTES) return { bytes, encoding: null };
  return { bytes: await answer.compress(bytes), encoding: answer.name };
}

const NONE: Encodings = { request: null, answer: null };

/** Node joins what was sent several times, but types do not know. */
function textOf(value: string | string[] | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
