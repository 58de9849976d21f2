/**
 * Reads the requests of streams as those of unary calls are read: the library would decompress and read a request at
 * once, and keep all unknown fields.
 */
import type { Message, Registry } from '@bufbuild/protobuf';
import { type ConnectRouter, createContextKey, type Interceptor } from '@connectrpc/connect';
import { type Compression, compressedFlag, type UniversalHandler } from '@connectrpc/connect/protocol';
import { ByteCollector } from '../../base/memory/byte-collector.js';
import { LargeBody } from '../../http/large-body.js';
import { bodyOwner } from '../../http/read-bytes.js';
import { callerKey } from '../../rpc/caller.js';
import { readRequest } from './unary/read-message.js';
import { compressionNamed, decompressed } from './wire/compression.js';
import { enveloped, PREFIX_BYTES } from './wire/envelope.js';
import type { MessageFormat } from './wire/protocol.js';

/** The request that was read here, while the library reads an empty one in its place. */
interface Received {
  message: Message | undefined;
  readonly large: LargeBody;
}

const receivedKey = createContextKey<Received>(
  { message: undefined, large: new LargeBody('') },
  { description: 'the request of a stream' },
);

/**
 * Reads the request of the method that was routed last. One that is longer than `maxBytes`, or breaks the protocol, is
 * left to the library to refuse. The router needs the interceptor `useReceived`.
 */
export function limitStreamRequests(router: ConnectRouter, maxBytes: number, registry?: Registry): void {
  const index = router.handlers.length - 1;
  const handler = router.handlers[index];
  if (handler === undefined) throw new TypeError('a router without handlers');
  const limited = (request: Parameters<UniversalHandler>[0]) => {
    const { body, header, contextValues } = request;
    if (!isStream(body) || contextValues === undefined) return handler(request);
    const { principal } = contextValues.get(callerKey);
    const received: Received = { message: undefined, large: new LargeBody(bodyOwner(principal)) };
    contextValues.set(receivedKey, received);
    return handler({
      ...request,
      body: withReplacedRequest(body, received, { handler, header, maxBytes, registry }),
    });
  };
  router.handlers[index] = Object.assign(limited, handler);
}

/** Replaces the library's empty request by the one that was read here. Register it before all other interceptors. */
export const useReceived: Interceptor = (next) => async (request) => {
  if (!request.stream) return next(request);
  const received = request.contextValues.get(receivedKey);
  try {
    const response = await next({ ...request, message: replaced(request.message, received) });
    if (!response.stream || !received.large.isHeld) return response;
    return { ...response, message: releasedAfter(response.message, received.large) };
  } catch (thrown) {
    received.large.release();
    throw thrown;
  }
};

async function* releasedAfter<T>(messages: AsyncIterable<T>, large: LargeBody): AsyncIterable<T> {
  try {
    yield* messages;
  } finally {
    large.release();
  }
}

async function* replaced<T extends Message>(
  messages: AsyncIterable<T>,
  received: Received,
): AsyncIterable<T> {
  for await (const message of messages) {
    // It was read with the descriptor of the same method.
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
 * The chunks of a body with an empty message in place of the first one. Throws the Problem of a message that can't be
 * read.
 */
async function* withReplacedRequest(
  body: AsyncIterable<Uint8Array>,
  received: Received,
  reading: Reading,
): AsyncGenerator<Uint8Array> {
  const source = body[Symbol.asyncIterator]();
  try {
    const taken = new ByteCollector();
    await takeBytes(source, PREFIX_BYTES, taken, received.large);
    if (isReadable(taken.bytes, reading)) {
      const whole = PREFIX_BYTES + taken.bytes.readUInt32BE(1);
      await takeBytes(source, whole, taken, received.large);
      const all = taken.take();
      if (all.length < whole) yield all;
      else {
        received.message = await messageOf(all.subarray(0, whole), received.large, reading);
        yield enveloped(EMPTY[formatOf(reading)], false);
        if (all.length > whole) yield all.subarray(whole);
      }
    }
    if (taken.length > 0) yield taken.take();
    yield* { [Symbol.asyncIterator]: () => source };
  } finally {
    // Releases the connection when the reader stops early.
    await source.return?.();
  }
}

const EMPTY: Readonly<Record<MessageFormat, Buffer>> = { protobuf: Buffer.alloc(0), json: Buffer.from('{}') };

/** Takes chunks until at least so many bytes were taken, or the source ends. */
async function takeBytes(
  source: AsyncIterator<Uint8Array>,
  minBytes: number,
  taken: ByteCollector,
  large: LargeBody,
): Promise<void> {
  while (taken.length < minBytes) {
    const { done, value } = await source.next();
    if (done === true) return;
    taken.add(value);
    large.grow(taken.length);
  }
}

/** Whether the prefix begins a message that the library would accept. */
function isReadable(prefix: Buffer, { header, maxBytes }: Reading): boolean {
  if (prefix.length < PREFIX_BYTES || prefix.readUInt32BE(1) > maxBytes) return false;
  const flags = prefix.readUInt8(0);
  return flags === 0 || (flags === compressedFlag && compressionOf(header) !== undefined);
}

async function messageOf(enveloped: Buffer, large: LargeBody, reading: Reading): Promise<Message> {
  const content = enveloped.subarray(PREFIX_BYTES);
  const { handler, header, maxBytes, registry } = reading;
  const compression = enveloped.readUInt8(0) === compressedFlag ? compressionOf(header) : undefined;
  const bytes =
    compression === undefined ? content : await decompressed(content, compression, maxBytes, large);
  return readRequest(handler.method, bytes, formatOf(reading), registry);
}

function formatOf({ header }: Reading): MessageFormat {
  return header.get('content-type')?.includes('json') ? 'json' : 'protobuf';
}

/** The compression of messages that are flagged as compressed; undefined for an unknown one. */
function compressionOf(header: Headers): Compression | undefined {
  return compressionNamed(header.get('grpc-encoding') ?? header.get('connect-content-encoding'));
}

function isStream(body: unknown): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}
