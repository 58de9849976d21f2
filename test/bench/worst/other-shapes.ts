/** Requests other than chats that may be expensive for the gateway: administration, batches, query strings, headers. */
import type { Caller, RawRequest } from './request.js';
import { ADMINISTRATION_BYTES, INFERENCE_BYTES, type Shape } from './shape.js';
import { many } from './wire.js';

type Method = RawRequest['method'];

/** An administrative body around so many pieces. */
const administration = (
  name: string,
  pieceBytes: number,
  [method, path]: readonly [Method, string],
  body: (count: number) => string,
): Shape => ({
  name: `REST ${method} ${path}: ${name}`,
  maxCount: Math.floor((ADMINISTRATION_BYTES - 500) / pieceBytes),
  make: (count) => json(method, `/api/v1${path}`, 'management key', body(count)),
});

const GUARDRAILS = ['POST', '/guardrails'] as const;
const BYOK = ['POST', '/byok'] as const;
const KEYS = ['POST', '/keys'] as const;
const EXPLAIN = ['POST', '/routing/explain'] as const;
const names = (count: number) => many(count, (index) => `"n${index}"`);
const UUID = '00000000-0000-4000-8000-000000000000';

const ADMINISTRATION: readonly Shape[] = [
  administration('unknown members', 12, KEYS, (n) => `{"name":"x",${many(n, (i) => `"k${i}":1`)}}`),
  administration(
    'unknown members of long names',
    140,
    KEYS,
    (n) => `{${many(n, (i) => `"${'k'.repeat(120)}${i}":1`)}}`,
  ),
  administration('an unknown list', 2, KEYS, (n) => `{"name":"x","zzz":[${many(n, () => '1')}]}`),
  administration('a long name', 1, KEYS, (n) => `{"name":"${'x'.repeat(n)}"}`),
  administration(
    'ignored providers',
    10,
    GUARDRAILS,
    (n) => `{"name":"x","ignored_providers":[${names(n)}]}`,
  ),
  administration('allowed models', 10, GUARDRAILS, (n) => `{"name":"x","allowed_models":[${names(n)}]}`),
  administration('ignored models', 10, GUARDRAILS, (n) => `{"name":"x","ignored_models":[${names(n)}]}`),
  administration(
    'models of a filter',
    10,
    BYOK,
    (n) => `{"provider":"demo","key":"demo-x-1234567890","allowed_models":[${names(n)}]}`,
  ),
  administration(
    'keys of a filter',
    10,
    BYOK,
    (n) => `{"provider":"demo","key":"demo-x-1234567890","allowed_api_key_hashes":[${names(n)}]}`,
  ),
  administration(
    'a credential of many members',
    12,
    BYOK,
    (n) => `{"provider":"google-vertex","key":{${many(n, (i) => `"k${i}":"x"`)}}}`,
  ),
  administration(
    'a credential of many objects',
    8,
    BYOK,
    (n) => `{"provider":"azure","key":[${many(n, () => '{"a":1}')}]}`,
  ),
  administration(
    'a credential that is long',
    1,
    BYOK,
    (n) => `{"provider":"openai","key":"${'x'.repeat(n)}"}`,
  ),
  administration(
    'members to assign',
    40,
    ['POST', `/guardrails/${UUID}/assignments/members`],
    (n) => `{"member_user_ids":[${many(n, (i) => `"user_${i}"`)}]}`,
  ),
  administration(
    'keys to assign',
    40,
    ['POST', `/guardrails/${UUID}/assignments/keys`],
    (n) => `{"key_hashes":[${many(n, (i) => `"${i}"`)}]}`,
  ),
  administration('preferences', 10, ['PATCH', '/preferences'], (n) => `{"ignored_providers":[${names(n)}]}`),
  administration(
    'messages',
    30,
    EXPLAIN,
    (n) => `{"model":"demo/echo","messages":[${many(n, () => '{"role":"user","content":"x"}')}]}`,
  ),
  administration(
    'unknown members',
    12,
    EXPLAIN,
    (n) => `{"model":"demo/echo",${many(n, (i) => `"k${i}":1`)}}`,
  ),
  administration('providers', 10, EXPLAIN, (n) => `{"model":"demo/echo","provider":{"order":[${names(n)}]}}`),
  administration(
    'lists in lists',
    2,
    EXPLAIN,
    (n) => `{"model":"demo/echo","zzz":${'['.repeat(n)}${']'.repeat(n)}}`,
  ),
];

const request = (index: number, text: string, more = '') =>
  `{"custom_id":"r${index}","body":{"messages":[{"role":"user","content":"${text}"}]${more}}}`;

const batch = (name: string, pieceBytes: number, piece: (index: number) => string): Shape => ({
  name: `REST batch: ${name}`,
  maxCount: Math.floor((INFERENCE_BYTES - 500) / pieceBytes),
  make: (n) =>
    json(
      'POST',
      '/api/v1/batches',
      'management key',
      `{"model":"google/gemini-2.5-flash","requests":[${many(n, piece)}]}`,
    ),
});

const BATCHES: readonly Shape[] = [
  batch('requests', 80, (index) => request(index, 'x')),
  batch('requests of 600 bytes', 680, (index) => request(index, 'x'.repeat(600))),
  batch('requests of 600 bytes, not ASCII', 1280, (index) => request(index, 'é'.repeat(600))),
  batch('requests of 1 MB', 1_000_080, (index) => request(index, 'x'.repeat(1_000_000))),
  batch('requests of 8 MB', 8_000_080, (index) => request(index, 'x'.repeat(8_000_000))),
  batch('empty requests', 3, () => '{}'),
  batch('requests of one name', 70, () => request(0, 'x')),
  batch('numbers', 2, () => '1'),
  batch('requests with unknown members', 300, (index) =>
    request(index, 'x', `,${many(18, (j) => `"k${index}x${j}":1`)}`),
  ),
  batch('one request of many members', 13, (index) =>
    index === 0 ? '{"custom_id":"a","body":{"messages":[]}}' : '{"zzz":[1]}',
  ),
  {
    name: 'REST batch: a request of many unknown members',
    maxCount: Math.floor((INFERENCE_BYTES - 500) / 12),
    make: (n) => {
      const body = `{"model":"google/gemini-2.5-flash","requests":[${request(0, 'x', `,${many(n, (i) => `"k${i}":1`)}`)}]}`;
      return json('POST', '/api/v1/batches', 'management key', body);
    },
  },
];

/** What fits the request's line and its headers. */
const HEADER_BYTES = 15_000;

const QUERIES: readonly Shape[] = (
  [
    ['parameters', 5, (n) => many(n, (i) => `p${i}=1`).replaceAll(',', '&')],
    ['parameters of one name', 9, (n) => 'limit=1&'.repeat(n)],
    ['ampersands', 1, (n) => '&'.repeat(n)],
    ['escapes', 3, (n) => `limit=${'%41'.repeat(n)}`],
    ['digits', 1, (n) => `limit=${'1'.repeat(n)}`],
    ['a long value', 1, (n) => `provider=${'a'.repeat(n)}`],
  ] as const satisfies readonly (readonly [string, number, (count: number) => string])[]
).flatMap(([name, pieceBytes, search]) =>
  ['/api/v1/keys', '/api/v1/models/user', '/api/v1/byok', '/api/v1/activity', '/healthz'].map((path) => ({
    name: `GET ${path}: ${name}`,
    maxCount: Math.floor(HEADER_BYTES / pieceBytes),
    make: (count: number): RawRequest => ({
      method: 'GET',
      path: `${path}?${search(count)}`,
      caller: path === '/api/v1/models/user' ? 'api key' : 'management key',
      headers: {},
      body: Buffer.alloc(0),
    }),
  })),
);

const HEADERS: readonly Shape[] = [
  'content-type',
  'if-none-match',
  'accept-encoding',
  'connect-timeout-ms',
  'x-request-id',
].flatMap((header) =>
  [' ', ',', ';', 'a', '1', 'a,', '"', ' ;a='].map((piece) => ({
    name: `POST with ${header} of ${JSON.stringify(piece)}`,
    maxCount: Math.floor(HEADER_BYTES / piece.length),
    make: (count: number): RawRequest => ({
      ...json('POST', '/byway.v1.ModelService/ListModels', 'nobody', '{}'),
      headers: { 'content-type': 'application/json', [header]: `a${piece.repeat(count)}b` },
    }),
  })),
);

/** All of them. */
export const OTHER_SHAPES: readonly Shape[] = [...ADMINISTRATION, ...BATCHES, ...QUERIES, ...HEADERS];

function json(method: Method, path: string, caller: Caller, body: string): RawRequest {
  return { method, path, caller, headers: { 'content-type': 'application/json' }, body: Buffer.from(body) };
}
