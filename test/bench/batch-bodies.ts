/** Bodies of `POST /batches` that fill its 32 MiB, in every shape and for every transport. */
import http2 from 'node:http2';
import { toBinary } from '@bufbuild/protobuf';
import { BatchRequestSchema } from '../../gen/byway/v1/batches_pb.js';
import { readMessage } from '../../src/protobuf/read.js';
import { GEMINI, request } from '../batch/world.js';
import { enveloped } from '../support/raw-rpc.js';

/** The limit, and what is left of it for all that is not a request. */
const BODY_BYTES = 32 * 1024 * 1024 - 200;

/** How many characters each request has. */
export const SHAPES: Readonly<Record<string, number>> = {
  large: 1_000_000,
  ordinary: 2000,
  short: 500,
  tiny: 1,
};

/** The transports of a batch. */
export const TRANSPORTS = ['rest', 'connect-json', 'grpc'] as const;
export type TransportName = (typeof TRANSPORTS)[number];

/** A body, and how many requests it holds. */
export interface Body {
  readonly bytes: Buffer;
  readonly count: number;
}

/** As many requests of so many characters as fit the body, but no more than `max`. */
export function bodyOf(transport: TransportName, characters: number, max = Number.POSITIVE_INFINITY): Body {
  const content = 'word '.repeat(Math.ceil(characters / 5)).slice(0, characters);
  const pieces: Buffer[] = [];
  for (let bytes = 0; pieces.length < max; ) {
    const piece = PIECES[transport](request(pieces.length.toString(36), content));
    bytes += piece.length + 1;
    if (bytes > BODY_BYTES) break;
    pieces.push(piece);
  }
  return { count: pieces.length, bytes: WHOLE[transport](pieces) };
}

const PIECES: Readonly<Record<TransportName, (request: object) => Buffer>> = {
  rest: (one) => Buffer.from(JSON.stringify(one)),
  // In proto JSON, content is a union.
  'connect-json': (one) => {
    const { custom_id, body } = one as { custom_id: string; body: { messages: { content: string }[] } };
    const messages = body.messages.map(({ content, ...other }) => ({ ...other, content: { text: content } }));
    return Buffer.from(JSON.stringify({ customId: custom_id, body: { messages } }));
  },
  grpc(one) {
    const read = readMessage(BatchRequestSchema, one as never);
    if (!read.ok) throw new TypeError(JSON.stringify(read.violations));
    return field(REQUESTS, Buffer.from(toBinary(BatchRequestSchema, read.message)));
  },
};

const WHOLE: Readonly<Record<TransportName, (pieces: readonly Buffer[]) => Buffer>> = {
  rest: jsonOf,
  'connect-json': jsonOf,
  grpc: (pieces) => enveloped(Buffer.concat([field(MODEL, Buffer.from(GEMINI)), ...pieces])),
};

const MODEL = 1;
const REQUESTS = 2;

function jsonOf(pieces: readonly Buffer[]): Buffer {
  const separated = pieces.flatMap((piece, index) => (index === 0 ? [piece] : [COMMA, piece]));
  return Buffer.concat([Buffer.from(`{"model":"${GEMINI}","requests":[`), ...separated, Buffer.from(']}')]);
}

const COMMA = Buffer.from(',');

/** A length-delimited field of the wire format. */
function field(number: number, content: Buffer): Buffer {
  const head = [(number << 3) | 2];
  let length = content.length;
  for (; length > 0x7f; length >>>= 7) head.push((length & 0x7f) | 0x80);
  return Buffer.concat([Buffer.from([...head, length]), content]);
}

const RPC = 'byway.v1.BatchService/CreateBatch';

/** Submits it; resolves when it is answered. Throws an Error for an answer that is not a success. */
export async function submit(
  transport: TransportName,
  origin: string,
  key: string,
  { bytes }: Body,
): Promise<void> {
  if (transport === 'grpc') return submitGrpc(origin, key, bytes);
  const path = transport === 'rest' ? 'api/v1/batches' : RPC;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(`${origin}/${path}`, { method: 'POST', headers, body: bytes });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text.slice(0, 2000));
}

function submitGrpc(origin: string, key: string, bytes: Buffer): Promise<void> {
  const session = http2.connect(origin);
  return new Promise<void>((resolve, reject) => {
    session.once('error', reject);
    const stream = session.request({
      ':method': 'POST',
      ':path': `/${RPC}`,
      'content-type': 'application/grpc',
      te: 'trailers',
      authorization: `Bearer ${key}`,
    });
    stream.on('trailers', ({ 'grpc-status': status, 'grpc-message': message }) =>
      status === '0' ? resolve() : reject(new Error(String(message))),
    );
    // A gateway that ends just ends the stream.
    stream.once('close', () => reject(new Error('no answer')));
    stream.once('error', reject).resume().end(bytes);
  }).finally(() => session.close());
}
