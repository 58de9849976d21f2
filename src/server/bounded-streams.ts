/**
 * Requests of streams, held to the bound on the values of a chat before the library makes anything of them: it would
 * read all of them first.
 */
import type { ConnectRouter } from '@connectrpc/connect';
import { type Compression, compressedFlag, type UniversalHandler } from '@connectrpc/connect/protocol';
import { compressionBrotli, compressionGzip } from '@connectrpc/connect-node';
import { checkValues } from './unary/messages.js';

/** The flags and the length that stand before a message. */
const PREFIX_BYTES = 5;

/** A message that is neither longer nor compressed can't hold too much. */
const HARMLESS_BYTES = 1024 * 1024;

const COMPRESSIONS: readonly Compression[] = [compressionGzip, compressionBrotli];

/** Holds the requests of the method routed last to the bound; messages of more bytes than `mostBytes` are left to the library to refuse. */
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

/** The pieces of a body whose first message is within the bound. Throws the Problem where it is not. */
async function* checked(pieces: AsyncIterable<Uint8Array>, how: Checked): AsyncGenerator<Uint8Array> {
  const source = pieces[Symbol.asyncIterator]();
  try {
    const held = await taken(source, PREFIX_BYTES);
    const prefix = Buffer.concat(held);
    if (mayExceed(prefix, how)) {
      const whole = PREFIX_BYTES + prefix.readUInt32BE(1);
      held.push(...(await taken(source, whole - prefix.length)));
      await checkMessage(Buffer.concat(held).subarray(0, whole), how);
    }
    yield* held;
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

function mayExceed(prefix: Buffer, { mostBytes }: Checked): boolean {
  if (prefix.length < PREFIX_BYTES) return false;
  const bytes = prefix.readUInt32BE(1);
  return bytes <= mostBytes && (isCompressed(prefix) || bytes > HARMLESS_BYTES);
}

async function checkMessage(enveloped: Buffer, { handler, header, mostBytes }: Checked): Promise<void> {
  const content = enveloped.subarray(PREFIX_BYTES);
  const bytes = isCompressed(enveloped) ? await decompressed(content, header, mostBytes) : content;
  const format = header.get('content-type')?.includes('json') ? 'json' : 'protobuf';
  if (bytes !== undefined) checkValues(handler.method, bytes, format);
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

function isCompressed(enveloped: Buffer): boolean {
  return (enveloped.readUInt8(0) & compressedFlag) !== 0;
}

function isStream(body: unknown): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}
