import { type Compression, compressionNegotiate } from '@connectrpc/connect/protocol';
import { compressionBrotli, compressionGzip } from '@connectrpc/connect-node';
import type { FastifyRequest } from 'fastify';
import { Problem } from '../../../base/problem.js';
import type { LargeBody } from '../../../http/large-body.js';
import { undeclaredEncoding, unknownEncoding } from '../../../rpc/protocol-errors.js';
import { decodeError } from './decode-errors.js';
import type { PackedMessage, UnaryProtocol } from './protocol.js';

/** How a call's messages are compressed; null = not at all. */
export interface Encodings {
  readonly request: Compression | null;
  readonly answer: Compression | null;
}

/** Takes a header of the answer, whatever that will be. */
interface AnswerHeaders {
  header(name: string, value: string): unknown;
}

const AVAILABLE = [compressionGzip, compressionBrotli];

/** Smaller messages are not compressed: that would cost more than it saves. */
const MIN_BYTES = 1024;

/**
 * Text compresses about twenty times at most, one message repeated over and over a hundred times. A higher ratio is a
 * decompression bomb.
 */
const MAX_RATIO = 200;

/** Up to this size the ratio does not matter. */
const HARMLESS_BYTES = 256 * 1024;

/**
 * Negotiates by the headers. Throws a protocol error for an encoding that is not available, and lists those that are.
 */
export function encodingsOf(
  { headers: { encoding, acceptEncoding } }: UnaryProtocol,
  { headers }: Pick<FastifyRequest, 'headers'>,
  reply: AnswerHeaders,
): Encodings {
  return negotiated(textOf(headers[encoding]), { headers, acceptEncoding }, reply);
}

/** As `encodingsOf`, for a message whose encoding is not named in a header. */
export function negotiated(
  encoding: string | null,
  { headers, acceptEncoding }: { headers: FastifyRequest['headers']; acceptEncoding: string },
  reply: AnswerHeaders,
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

/** What is kept for a message while it is in flight; a message in a URL is never so large that it matters. */
type MessageMemory = Pick<LargeBody, 'grow' | 'shrinkTo'>;

/**
 * The message's bytes, at most `maxBytes` of them. Throws a Problem for a larger message or one not compressed as
 * declared, and a protocol error for a compressed one without a declared encoding.
 */
export function decoded(
  { bytes, isEncoded }: PackedMessage,
  { request }: Encodings,
  maxBytes: number,
  memory?: MessageMemory,
): Uint8Array | Promise<Uint8Array> {
  if (request === null && isEncoded === true) throw undeclaredEncoding();
  if (request === null || isEncoded === false) {
    if (bytes.byteLength > maxBytes) throw new Problem('body_too_large', 'Request body is too large');
    return bytes;
  }
  return decompressed(bytes, request, maxBytes, memory);
}

/**
 * Decompresses to at most `maxBytes`. Throws a Problem where there is more, where it is more than `MAX_RATIO` times
 * the compressed size, where the bytes are not compressed so, and where `memory` has no room for the most that they
 * may become.
 */
export async function decompressed(
  bytes: Uint8Array,
  compression: Compression,
  maxBytes: number,
  memory?: MessageMemory,
): Promise<Uint8Array> {
  const most = Math.min(maxBytes, Math.max(HARMLESS_BYTES, bytes.length * MAX_RATIO));
  memory?.grow(most);
  try {
    const whole = await compression.decompress(bytes, most);
    memory?.shrinkTo(bytes.length + whole.length);
    return whole;
  } catch (thrown) {
    throw decodeError(thrown, 'compression');
  }
}

/** The bytes to send, and the name of their encoding; null = not compressed. */
export interface Encoded {
  readonly bytes: Uint8Array;
  readonly encoding: string | null;
}

export function encoded(bytes: Uint8Array, { answer }: Encodings): Encoded | Promise<Encoded> {
  return answer === null || bytes.byteLength < MIN_BYTES
    ? { bytes, encoding: null }
    : compressed(bytes, answer);
}

async function compressed(bytes: Uint8Array, answer: Compression): Promise<Encoded> {
  return { bytes: await answer.compress(bytes), encoding: answer.name };
}

const NONE: Encodings = { request: null, answer: null };

/** Node joins repeated headers of these names into one text, which the types do not say. */
function textOf(value: string | string[] | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
