/**
 * Requests of streams, looked at before the library makes anything of them: held to the bound on the values of a chat,
 * all of which it would read first, and with REST's words for enums put into the proto file's.
 */
import type { ConnectRouter } from '@connectrpc/connect';
import { type Compression, compressedFlag, type UniversalHandler } from '@connectrpc/connect/protocol';
import { compressionBrotli, compressionGzip } from '@connectrpc/connect-node';
import { withProtoWords } from '../wire/enum-words.js';
import { envelope } from './unary/envelope.js';
import { checkValues } from './unary/messages.js';

/** The flags and the length that stand before a message. */
const PREFIX_BYTES = 5;

/** A message in protobuf that is neither longer nor compressed can't hold too much. */
const HARMLESS_BYTES = 1024 * 1024;

const COMPRESSIONS: readonly Compression[] = [compressionGzip, compressionBrotli];

/** Does so with the requests of the method routed last; messages of more bytes than `mostBytes` are left to the library to refuse. */
export function boundRequests(router: ConnectRouter, mostBytes: number): void {
  const index = router.handlers.length - 1;
  const handler = router.handlers[index];
  if (handler === undefined) throw new TypeError('a router without handlers');
  const bounded = (request: Parameters<UniversalHandler>[0]) => {
    const { body, header } = request;
    if (!isStream(body)) return handler(request);
    return handler({ ...request, body: checked(body, { handler, header, mostBytes }) });
  };
  router.handlers[index] = Object.assign(bounded, handler);
}

interface Checked {
  readonly handler: UniversalHandler;
  readonly header: Headers;
  readonly mostBytes: number;
}

/** The pieces of a body whose first message may be read. Throws the Problem where it may not. */
async function* checked(pieces: AsyncIterable<Uint8Array>, how: Checked): AsyncGenerator<Uint8Array> {
  const source = pieces[Symbol.asyncIterator]();
  try {
    const held = await taken(source, PREFIX_BYTES);
    const prefix = Buffer.concat(held);
    if (isLookedAt(prefix, how)) {
      const length = PREFIX_BYTES + prefix.readUInt32BE(1);
      const all = Buffer.concat([prefix, ...(await taken(source, length - prefix.length))]);
      yield* [await readable(all.subarray(0, length), how), all.subarray(length)];
    } else yield* held;
    yield* { [Symbol.asyncIterator]: () => source };
  } finally {
    // Whoever stops early lets the connection know.
    await source.return?.();
  }
}

/** Pieces of so many bytes or more; of fewer where there are no more. */
async function taken(source: AsyncIterator<Uint8Array>, least: number): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for (let bytes = 0; bytes < least; ) {
    const { done, value } = await source.next();
    if (done === true) break;
    pieces.push(value);
    bytes += value.length;
  }
  return pieces;
}

function isLookedAt(prefix: Buffer, { header, mostBytes }: Checked): boolean {
  if (prefix.length < PREFIX_BYTES) return false;
  const bytes = prefix.readUInt32BE(1);
  return bytes <= mostBytes && (isJson(header) || isCompressed(prefix) || bytes > HARMLESS_BYTES);
}

/** The message as the library is to read it. */
async function readable(enveloped: Buffer, { handler, header, mostBytes }: Checked): Promise<Buffer> {
  const content = enveloped.subarray(PREFIX_BYTES);
  const bytes = isCompressed(enveloped) ? await decompressed(content, header, mostBytes) : content;
  if (bytes === undefined) return enveloped;
  checkValues(handler.method, bytes, isJson(header) ? 'json' : 'protobuf');
  const read = isJson(header) ? withProtoWords(handler.method, bytes) : bytes;
  return read === bytes ? enveloped : envelope(read, false);
}

/** undefined for what the library refuses anyway. */
async function decompressed(
  bytes: Uint8Array,
  header: Headers,
  mostBytes: number,
): Promise<Uint8Array | undefined> {
  const name = header.get('grpc-encoding') ?? header.get('connect-content-encoding');
  const compression = COMPRESSIONS.find((one) => one.name === name);
  return compression?.decompress(bytes, mostBytes).catch(() => undefined);
}

function isJson(header: Headers): boolean {
  return header.get('content-type')?.includes('json') === true;
}

function isCompressed(enveloped: Buffer): boolean {
  return (enveloped.readUInt8(0) & compressedFlag) !== 0;
}

function isStream(body: unknown): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}
