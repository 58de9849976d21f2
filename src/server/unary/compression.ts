import { type Compression, compressionNegotiate } from '@connectrpc/connect/protocol';
import { compressionBrotli, compressionGzip } from '@connectrpc/connect-node';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalid, Problem } from '../../base/problem.js';
import { unreadable } from '../unreadable.js';
import type { PackedMessage, UnaryProtocol } from './protocol.js';

/** How a call's messages are compressed; null = not at all. */
export interface Encodings {
  readonly request: Compression | null;
  readonly answer: Compression | null;
}

const AVAILABLE = [compressionGzip, compressionBrotli];

/** Compressing less costs more than it saves. */
const LEAST_BYTES = 1024;

/**
 * Text of any kind becomes at most some twenty times as small, the same message again and again a hundred times. What is
 * beyond was made to be large, of next to nothing.
 */
const MAX_RATIO = 200;

/** As much may come of however little. */
const HARMLESS_BYTES = 64 * 1024;

/** What the headers agree on. Throws a Problem for an encoding that is not available, and tells which are. */
export function encodingsOf(
  { headers: { encoding, acceptEncoding } }: UnaryProtocol,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): Encodings {
  const wanted = [textOf(headers[encoding]), textOf(headers[acceptEncoding])] as const;
  if (wanted[0] === null && wanted[1] === null) return NONE;
  const { request, response, error } = compressionNegotiate(AVAILABLE, ...wanted, acceptEncoding);
  if (error === undefined) return { request, answer: response };
  const available = AVAILABLE.map(({ name }) => name).join(', ');
  reply.header(acceptEncoding, available);
  throw new Problem('unsupported_encoding', `The encoding of the request must be one of ${available}`);
}

/** The message's bytes, at most `mostBytes` of them. Throws a Problem for what is larger, or not compressed as said. */
export async function decoded(
  { bytes, isEncoded }: PackedMessage,
  { request }: Encodings,
  mostBytes: number,
): Promise<Uint8Array> {
  if (request === null && isEncoded === true) {
    throw invalid([{ field: '', rule: 'envelope', message: 'The message is compressed, but not said how' }]);
  }
  return request === null || isEncoded === false ? bytes : decompressed(bytes, request.name, mostBytes);
}

/**
 * The bytes that were compressed so, at most `mostBytes` of them. Throws a Problem for what is larger, is more than
 * `MAX_RATIO` times as large as it was sent, or is not compressed so.
 */
export async function decompressed(
  bytes: Uint8Array,
  encoding: string,
  mostBytes: number,
): Promise<Uint8Array> {
  const compression = AVAILABLE.find(({ name }) => name === encoding);
  if (compression === undefined) throw new TypeError(`no ${encoding} here`);
  try {
    const most = Math.max(HARMLESS_BYTES, bytes.length * MAX_RATIO);
    return await compression.decompress(bytes, Math.min(mostBytes, most));
  } catch (thrown) {
    throw unreadable(thrown, 'compression');
  }
}

/** The bytes as they are sent, and the name of their encoding. */
export async function encoded(
  bytes: Uint8Array,
  { answer }: Encodings,
): Promise<{ bytes: Uint8Array; encoding: string | null }> {
  if (answer === null || bytes.byteLength < LEAST_BYTES) return { bytes, encoding: null };
  return { bytes: await answer.compress(bytes), encoding: answer.name };
}

const NONE: Encodings = { request: null, answer: null };

/** Node joins what was sent several times, but types do not know. */
function textOf(value: string | string[] | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
