import http, { type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { expect } from 'vitest';
import type { Reason } from '../../src/base/reasons.js';
import { ERROR_TYPES } from '../../src/formats/chat/error.js';
import { dumpDatabase } from './dump.js';
import type { TestGateway } from './gateway.js';

/** An HTTP response, read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly bytes: Buffer;
}

/** What is sent. An object is sent as JSON; text and bytes as they are. */
export interface Sent {
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: unknown;
}

/** A record or another JSON object of a response. */
export type Row = Readonly<Record<string, unknown>>;

/** Calls an operation, with or without a credential. */
export type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: OutgoingHttpHeaders,
) => Promise<Answer>;

/** One request on a connection of its own, with exactly the given headers, even any `Host`. */
export function send(url: string, method: string, { headers = {}, body }: Sent = {}): Promise<Answer> {
  const { hostname, port, origin } = new URL(url);
  const content = body === undefined ? undefined : contentOf(body);
  return new Promise((resolve, reject) => {
    const request = http.request({
      hostname,
      port,
      method,
      agent: false,
      path: url.slice(origin.length),
      headers: {
        ...(content !== undefined && {
          'content-type': 'application/json',
          'content-length': content.length,
        }),
        ...headers,
      },
    });
    request.on('error', reject);
    request.on('response', (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () => {
        const bytes = Buffer.concat(pieces);
        const { statusCode: status = 0, headers: answered } = response;
        resolve({ status, headers: answered, text: bytes.toString('utf8'), bytes });
      });
    });
    request.end(content);
  });
}

function contentOf(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Calls REST operations with the secret; paths are relative to the REST root. */
export function caller(gateway: Pick<TestGateway, 'rest'>, secret?: string): Call {
  const authorization = secret === undefined ? {} : { authorization: `Bearer ${secret}` };
  return (method, path, body, headers = {}) =>
    send(gateway.rest + path, method, { body, headers: { ...authorization, ...headers } });
}

/** The whole body. */
export function bodyOf({ text }: Answer): Row {
  const json: unknown = JSON.parse(text);
  if (typeof json !== 'object' || json === null) throw new Error(`not an object: ${text}`);
  return { ...json };
}

/** The record in `data` of a successful response. */
export function recordOf(answer: Answer): Row {
  expect([answer.status, answer.text]).toEqual([
    expect.toSatisfy((status) => status < 300),
    expect.anything(),
  ]);
  return { ...(bodyOf(answer).data as Row) };
}

/** The list in `data` of a successful response. */
export function rowsOf(answer: Answer): Row[] {
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
  return [...(bodyOf(answer).data as Row[])];
}

/** An error in short: status, reason, then each violation as `field rule`. Also checks its envelope. */
export function refusalOf(answer: Answer): (string | number)[] {
  const { error, ...others } = bodyOf(answer);
  const { code, message, metadata, ...more } = error as Row;
  const { reason, violations = [] } = metadata as { reason: Reason; violations?: Row[] };
  // OpenAI's clients look for its words in errors of chats.
  const words = 'type' in more ? { type: ERROR_TYPES[reason], param: expect.toSatisfy(isPath) } : {};
  expect([code, more]).toEqual([answer.status, words]);
  expect(message).toEqual(expect.stringMatching(/./));
  expect(Object.keys(others).filter((name) => name !== 'user_id' && name !== 'service_metadata')).toEqual([]);
  for (const violation of violations) {
    expect(violation).toEqual({
      field: expect.any(String),
      rule: expect.stringMatching(/^[a-z_]+$/),
      message: expect.stringMatching(/./),
    });
  }
  return [answer.status, reason, ...violations.map(({ field, rule }) => `${field} ${rule}`)];
}

function isPath(param: unknown): boolean {
  return param === null || (typeof param === 'string' && param !== '');
}

/** As `refusalOf`, for a call that must not change any row of any table. */
export async function refused({ gateway }: Pick<TestGateway, 'gateway'>, call: () => Promise<Answer>) {
  const before = await dumpDatabase(gateway.database);
  const answer = await call();
  expect(await dumpDatabase(gateway.database)).toBe(before);
  return refusalOf(answer);
}
