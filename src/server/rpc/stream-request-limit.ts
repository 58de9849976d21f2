/**
 * Requests of streams, read as those of unary calls are: the library would decompress and read all of them at once, and
 * keep every field that it does not know.
 */
import type { Message, Registry } from '@bufbuild/protobuf';
import { type ConnectRouter, createContextKey, type Interceptor } from '@connectrpc/connect';
import { type Compression, compressedFlag, type UniversalHandler } from '@connectrpc/connect/protocol';
import { compressionNamed, decompressed } from './unary/compression.js';
import { envelope, PREFIX_BYTES } from './unary/envelope.js';
import { type MessageFormat, readRequest } from './unary/messages.js';

/** The request that was read here, while the library reads what was put in its place. */
interface Received {
  message: Message | undefined;
}

const receivedKey = createContextKey<Received>(
  { message: undefined },
  { description: 'the request of a stream' },
);

/**
 * Reads the request of the method routed last; what is longer than `mostBytes`, or breaks the protocol, is left to the
 * library to refuse. Its router needs `useReceived`.
 */
export function limitStreamRequests(router: ConnectRouter, maxBytes: number, registry?: Registry): void {
  const index = router.handlers.length - 1;
  const handler = router.handlers[index];
  if (handler === undefined) throw new TypeError('a router without handlers');
  const bounded = (request: Parameters<UniversalHandler>[0]) => {
    const { body, header, contextValues } = request;
    if (!isStream(body) || contextValues === undefined) return handler(request);
    const received: Received = { message: undefined };
    contextValues.set(receivedKey, received);
    return handler({ ...request, body: relayed(body, received, { handler, header, maxBytes, registry }) });
  };
  router.handlers[index] = Object.assign(bounded, handler);
}

/** Puts the request that was read here where the library has read none. Register it before all others. */
export const useReceived: Interceptor = (next) => (request) =>
  next(
    request.stream
      ? { ...request, message: replaced(request.message, request.contextValues.get(receivedKey)) }
      : request,
  );

async function* replaced<T extends Message>(
  messages: AsyncIterable<T>,
  received: Received,
): AsyncIterable<T> {
  for await (const message of messages) {
    // It was read by the descriptor of the same method.
    yield (received.message as T | undefined) ?? message;
    received.message = undefined;
  }
}

interface Reading {
  readonly handler: UniversalHandler;
  readonly header: Headers;
  readonly maxBytes: number;
  readonly registry: Registry | undefined;
}

/**
 * The pieces of a body, an empty message in the place of the first one. Throws the Problem where that can't be read.
 */
async function* relayed(
  pieces: AsyncIterable<Uint8Array>,
  received: Received,
  reading: Reading,
): AsyncGenerator<Uint8Array> {
  const source = pieces[Symbol.asyncIterator]();
  try {
    const held = await taken(source, PREFIX_BYTES);
    const prefix = Buffer.concat(held);
    if (isReadable(prefix, reading)) {
      const whole = PREFIX_BYTES + prefix.readUInt32BE(1);
      held.push(...(await taken(source, whole - prefix.length)));
      const all = Buffer.concat(held.splice(0));
      if (all.length < whole) yield all;
      else {
        received.message = await messageOf(all.subarray(0, whole), reading);
        yield envelope(EMPTY[formatOf(reading)], false);
        if (all.length > whole) yield all.subarray(whole);
      }
    }
    yield* held;
    yield* { [Symbol.asyncIterator]: () => source };
  } finally {
    // Whoever stops early lets the connection know.
    await source.return?.();
  }
}

const EMPTY: Readonly<Record<MessageFormat, Buffer>> = { protobuf: Buffer.alloc(0), json: Buffer.from('{}') };

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

/** Whether a message begins so that the library would take. */
function isReadable(prefix: Buffer, { header, maxBytes }: Reading): boolean {
  if (prefix.length < PREFIX_BYTES || prefix.readUInt32BE(1) > maxBytes) return false;
  const flags = prefix.readUInt8(0);
  return flags === 0 || (flags === compressedFlag && compressionOf(header) !== undefined);
}

async function messageOf(enveloped: Buffer, reading: Reading): Promise<Message> {
  const content = enveloped.subarray(PREFIX_BYTES);
  const { handler, header, maxBytes, registry } = reading;
  const compression = enveloped.readUInt8(0) === compressedFlag ? compressionOf(header) : undefined;
  const bytes = compression === undefined ? content : await decompressed(content, compression, maxBytes);
  return readRequest(handler.method, bytes, formatOf(reading), registry);
}

function formatOf({ header }: Reading): MessageFormat {
  return header.get('content-type')?.includes('json') ? 'json' : 'protobuf';
}

/** How messages are compressed that say so; undefined where that is not known. */
function compressionOf(header: Headers): Compression | undefined {
  return compressionNamed(header.get('grpc-encoding') ?? header.get('connect-content-encoding'));
}

function isStream(body: unknown): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}
