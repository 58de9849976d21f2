/** The status of failed gRPC and gRPC-Web calls: the library percent-encodes more of the message than is specified. */
import type { ConnectError } from '@connectrpc/connect';
import type { UniversalHandler, UniversalServerResponse } from '@connectrpc/connect/protocol';
import { compressedFlag } from '@connectrpc/connect/protocol';
import { setTrailerStatus } from '@connectrpc/connect/protocol-grpc';
import { trailerFlag, trailerParse } from '@connectrpc/connect/protocol-grpc-web';
import { compressionNamed } from './compression.js';
import { envelopedTrailers, PREFIX_BYTES } from './envelope.js';

const MESSAGE = 'grpc-message';

/** The trailers of the error, with its metadata and details. */
export function statusTrailers(error: ConnectError): Headers {
  const trailers = setTrailerStatus(new Headers(), error);
  trailers.set(MESSAGE, percentEncoded(error.rawMessage));
  return trailers;
}

/** Wraps one of the library's handlers so that it encodes status messages as `statusTrailers` does. */
export function withStatusMessage(handler: UniversalHandler): UniversalHandler {
  const handle = async (request: Parameters<UniversalHandler>[0]) => {
    const response = await handler(request);
    return { ...response, ...(response.body && { body: rewritten(response.body, response) }) };
  };
  return Object.assign(handle, handler);
}

/**
 * The text in UTF-8, in which only bytes outside 0x20 to 0x7E and the percent sign are encoded
 * (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md#responses).
 */
function percentEncoded(text: string): string {
  const bytes = Buffer.from(text, 'utf8').toString('latin1');
  return bytes.replace(
    /[^ -$&-~]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

type Chunks = AsyncIterable<Uint8Array>;

/** The chunks of the answer; gRPC's trailers are complete at their end, gRPC-Web's are the last chunk. */
function rewritten(chunks: Chunks, { header, trailer }: UniversalServerResponse): Chunks {
  const isWeb = header?.get('content-type')?.startsWith('application/grpc-web') === true;
  if (!isWeb && trailer === undefined) return chunks;
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
      const source = chunks[Symbol.asyncIterator]();
      return {
        next: async () => rewrite(await source.next()),
        ...(source.throw && { throw: source.throw.bind(source) }),
        ...(source.return && { return: source.return.bind(source) }),
      };
    },
  };
}

/** The trailers are sent uncompressed, even where the library has compressed them. */
async function rewrittenTrailers(enveloped: Uint8Array, encoding: string): Promise<Uint8Array> {
  const content = enveloped.subarray(PREFIX_BYTES);
  const isCompressed = ((enveloped[0] ?? 0) & compressedFlag) !== 0;
  const text = isCompressed
    ? await compressionNamed(encoding)?.decompress(content, MAX_TRAILER_BYTES)
    : content;
  if (text === undefined) return enveloped;
  const trailers = trailerParse(text);
  rewriteMessage(trailers);
  return envelopedTrailers(trailers);
}

/** For decompressing what this process itself has written: never reached. */
const MAX_TRAILER_BYTES = 2 ** 30;

function rewriteMessage(trailers: Headers): void {
  const message = trailers.get(MESSAGE);
  if (message !== null) trailers.set(MESSAGE, percentEncoded(decodeURIComponent(message)));
}
