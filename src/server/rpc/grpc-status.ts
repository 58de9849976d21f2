/**
 * The status of failed gRPC and gRPC-Web calls; the library encodes more of its message than their specification
 * asks.
 */
import type { ConnectError } from '@connectrpc/connect';
import type { UniversalHandler, UniversalServerResponse } from '@connectrpc/connect/protocol';
import { compressedFlag } from '@connectrpc/connect/protocol';
import { setTrailerStatus } from '@connectrpc/connect/protocol-grpc';
import { trailerFlag, trailerParse } from '@connectrpc/connect/protocol-grpc-web';
import { compressionNamed } from './unary/compression.js';
import { PREFIX_BYTES, trailerEnvelope } from './unary/envelope.js';

const MESSAGE = 'grpc-message';

/** The trailers that tell of the error, its metadata and details included. */
export function statusTrailers(error: ConnectError): Headers {
  const trailers = setTrailerStatus(new Headers(), error);
  trailers.set(MESSAGE, percentEncoded(error.rawMessage));
  return trailers;
}

/** Has one of the library's handlers send status messages as `statusTrailers` does. */
export function withStatusMessage(handler: UniversalHandler): UniversalHandler {
  const handle = async (request: Parameters<UniversalHandler>[0]) => {
    const response = await handler(request);
    return { ...response, ...(response.body && { body: rewritten(response.body, response) }) };
  };
  return Object.assign(handle, handler);
}

/**
 * The text in UTF-8, of which only bytes outside 0x20 to 0x7E and the percent sign are encoded
 * (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md#responses).
 */
function percentEncoded(text: string): string {
  const bytes = Buffer.from(text, 'utf8').toString('latin1');
  return bytes.replace(
    /[^ -$&-~]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

type Pieces = AsyncIterable<Uint8Array>;

/** The pieces of the answer; gRPC's trailers are complete at their end, gRPC-Web's are the last of them. */
function rewritten(pieces: Pieces, { header, trailer }: UniversalServerResponse): Pieces {
  const isWeb = header?.get('content-type')?.startsWith('application/grpc-web') === true;
  if (!isWeb && trailer === undefined) return pieces;
  const rewrite = async (result: IteratorResult<Uint8Array>): Promise<IteratorResult<Uint8Array>> => {
    if (result.done === true) {
      if (trailer !== undefined) rewriteMessage(trailer);
      return result;
    }
    if (!isWeb || ((result.value[0] ?? 0) & trailerFlag) === 0) return result;
    return { value: await rewrittenTrailers(result.value, header?.get('grpc-encoding') ?? ''), done: false };
  };
  return {
    [Symbol.asyncIterator]() {
      const source = pieces[Symbol.asyncIterator]();
      return {
        next: async () => rewrite(await source.next()),
        ...(source.throw && { throw: source.throw.bind(source) }),
        ...(source.return && { return: source.return.bind(source) }),
      };
    },
  };
}

/** They are sent as they are, also where the library has compressed them. */
async function rewrittenTrailers(enveloped: Uint8Array, encoding: string): Promise<Uint8Array> {
  const content = enveloped.subarray(PREFIX_BYTES);
  const isCompressed = ((enveloped[0] ?? 0) & compressedFlag) !== 0;
  const text = isCompressed
    ? await compressionNamed(encoding)?.decompress(content, MAX_TRAILER_BYTES)
    : content;
  if (text === undefined) return enveloped;
  const trailers = trailerParse(text);
  rewriteMessage(trailers);
  return trailerEnvelope(trailers);
}

/** Of what this process itself has written: no bound that anything could reach. */
const MAX_TRAILER_BYTES = 2 ** 30;

function rewriteMessage(trailers: Headers): void {
  const message = trailers.get(MESSAGE);
  if (message !== null) trailers.set(MESSAGE, percentEncoded(decodeURIComponent(message)));
}
