import { Buffer } from 'node:buffer';
import {
  type DescMethod,
  fromJson,
  type JsonObject,
  type JsonValue,
  type Message,
  toJson,
} from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { ErrorDetailSchema } from '../../../gen/byway/v1/error_pb.js';
import { writeMessage } from '../../../src/protobuf/write.js';
import type { TestGateway } from '../../support/gateway.js';
import type { TransportClient } from './client.js';
import { failureOf, type Outcome } from './outcome.js';

interface RawError {
  readonly code: string;
  readonly message?: string;
  readonly details?: readonly { readonly type: string; readonly value: string }[];
}

/** Connect's protocol in JSON as its specification writes it down, with nothing but `fetch`. */
export function connectJsonClient({ url }: TestGateway): TransportClient {
  return {
    async call(method, message, secret) {
      const isUnary = method.methodKind === 'unary';
      const json = Buffer.from(JSON.stringify(toJson(method.input, message)));
      const response = await fetch(`${url}/${method.parent.typeName}/${method.name}`, {
        method: 'POST',
        headers: {
          'connect-protocol-version': '1',
          'content-type': isUnary ? 'application/json' : 'application/connect+json',
          ...(secret !== null && { authorization: `Bearer ${secret}` }),
        },
        body: isUnary ? json : envelope(json),
      });
      const generationId = response.headers.get('x-generation-id');
      const outcome = isUnary ? await unary(method, response) : await streamed(method, response);
      return { generationId, ...outcome };
    },
  };
}

type Result = Pick<Outcome, 'messages' | 'failure'>;

async function unary(method: DescMethod, response: Response): Promise<Result> {
  const json = (await response.json()) as JsonObject;
  if (response.ok) return { messages: [spelled(method, json)], failure: null };
  return { messages: [], failure: failureOf(errorFrom(json as unknown as RawError, response.headers), []) };
}

async function streamed(method: DescMethod, response: Response): Promise<Result> {
  const messages: JsonObject[] = [];
  let end: { readonly error?: RawError; readonly metadata?: Record<string, string[]> } = {};
  for (const { isEnd, json } of envelopesIn(Buffer.from(await response.arrayBuffer()))) {
    if (isEnd) end = json as typeof end;
    else messages.push(spelled(method, json));
  }
  if (end.error === undefined) return { messages, failure: null };
  const entries = Object.entries(end.metadata ?? {}).map(([name, [value = '']]): [string, string] => [
    name,
    value,
  ]);
  const headers = new Headers([...response.headers, ...entries]);
  return { messages, failure: failureOf(errorFrom(end.error, headers), messages) };
}

function spelled(method: DescMethod, json: JsonValue): JsonObject {
  const message: Message = fromJson(method.output, json);
  return writeMessage(method.output, message);
}

/** Flags (2 = the end of the stream), length, JSON. */
function* envelopesIn(bytes: Buffer): Generator<{ readonly isEnd: boolean; readonly json: JsonValue }> {
  for (let at = 0; at < bytes.length; ) {
    const end = at + 5 + bytes.readUInt32BE(at + 1);
    yield { isEnd: bytes.readUInt8(at) === 2, json: JSON.parse(bytes.toString('utf8', at + 5, end)) };
    at = end;
  }
}

function envelope(json: Buffer): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(json.length, 1);
  return Buffer.concat([prefix, json]);
}

function errorFrom({ code, message = '', details = [] }: RawError, headers: Headers): ConnectError {
  const number = Object.values(Code).find(
    (value) => typeof value === 'number' && snakeCaseOf(value) === code,
  );
  const error = new ConnectError(message, number as Code, headers);
  error.details = details.map(({ type, value }) => ({ type, value: Buffer.from(value, 'base64') }));
  if (details[0]?.type !== ErrorDetailSchema.typeName) throw new Error(`${code} without its detail`);
  return error;
}

function snakeCaseOf(code: Code): string {
  return (Code[code] ?? '').replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}
