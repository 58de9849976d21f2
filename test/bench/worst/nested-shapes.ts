/** Requests that nest by every way there is: text within text, marks, arguments, schemas, media, results of tools. */
import { HELLO, list, type Nested } from './nested.js';
import { NESTED_MESSAGES } from './nested-messages.js';
import type { RawRequest } from './request.js';
import { INFERENCE_BYTES, type Shape } from './shape.js';
import type { Sink, SinkSlug } from './sink.js';
import { many } from './wire.js';

function call(text: string, more: object = {}): object {
  return { id: 'c', type: 'function', function: { name: 'f', arguments: text }, ...more };
}

function called(text: string): object {
  return { messages: [HELLO, { role: 'assistant', content: null, tool_calls: [call(text)] }, HELLO] };
}

function result(text: unknown): object {
  const answer = { role: 'tool', tool_call_id: 'c', content: text };
  return { messages: [HELLO, { role: 'assistant', content: null, tool_calls: [call('{}')] }, answer] };
}

function tool(parameters: object, strict: boolean): object {
  return { messages: [HELLO], tools: [{ type: 'function', function: { name: 'f', parameters, strict } }] };
}

function format(schema: object): object {
  const json_schema = { name: 'a', schema, strict: true };
  return { messages: [HELLO], response_format: { type: 'json_schema', json_schema } };
}

function parts(...content: readonly object[]): object {
  return { messages: [{ role: 'user', content }] };
}

const properties = (count: number, of: (index: number) => object) => ({
  type: 'object',
  properties: Object.fromEntries(list(count, (index) => [`p${index}`, of(index)])),
});

/** JSON within a text, by what it is made of. */
const TEXTS: Readonly<Record<string, readonly [bytes: number, text: (count: number) => string]>> = {
  'empty lists': [3, (n) => `{"a":[${many(n, () => '[]')}]}`],
  'empty objects': [3, (n) => `[${many(n, () => '{}')}]`],
  numbers: [2, (n) => `{"a":[${many(n, () => '1')}]}`],
  'other members': [14, (n) => `{${many(n, (i) => `"k${i}":1`)}}`],
  'lists in lists': [2, (n) => `{"a":${'['.repeat(n)}${']'.repeat(n)}}`],
  'objects in objects': [9, (n) => `${'{"a":'.repeat(n)}1${'}'.repeat(n)}`],
  'a text': [1, (n) => `{"a":"${'x'.repeat(n)}"}`],
  'a text of escapes': [7, (n) => `{"a":"${'\\u0001'.repeat(n)}"}`],
  'no end': [1, (n) => '['.repeat(n)],
};

const CHATS: Readonly<Record<string, Nested>> = {
  ...Object.fromEntries(
    Object.entries(TEXTS).flatMap(([name, [pieceBytes, text]]) => [
      [`arguments of ${name}`, { pieceBytes, members: (n: number) => called(text(n)) }],
      [`a result of ${name}`, { pieceBytes, members: (n: number) => result(text(n)) }],
    ]),
  ),
  'calls of few arguments': {
    pieceBytes: 90,
    max: 16_000,
    members: (n) => ({
      messages: [HELLO, { role: 'assistant', tool_calls: list(n, () => call('{"a":[]}')) }, HELLO],
    }),
  },
  'results of one call with a long name': {
    pieceBytes: 60,
    max: 20_000,
    members: (n) => ({
      messages: [
        {
          role: 'assistant',
          tool_calls: [call('{}', { function: { name: 'n'.repeat(1_000_000), arguments: '{}' } })],
        },
        ...list(n, () => ({ role: 'tool', tool_call_id: 'c', content: '' })),
      ],
    }),
  },
  'calls of one id with a long signature': {
    pieceBytes: 80,
    max: 12_000,
    members: (n) => ({
      messages: [
        HELLO,
        {
          role: 'assistant',
          tool_calls: list(n, () => call('{}')),
          reasoning_details: [
            { type: 'reasoning.encrypted', data: 's'.repeat(1_000_000), id: 'c', format: 'google-gemini-v1' },
          ],
        },
        HELLO,
      ],
    }),
  },
  'a long id of a call': {
    pieceBytes: 3,
    members: (n) => ({
      messages: [HELLO, { role: 'assistant', tool_calls: [call('{}', { id: '漢'.repeat(n) })] }, HELLO],
    }),
  },
  'files of one name': {
    pieceBytes: 90,
    max: 15_000,
    members: (n) =>
      parts(
        ...list(n, () => ({
          type: 'file',
          file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' },
        })),
      ),
  },
  'a long name of a file': {
    pieceBytes: 3,
    members: (n) =>
      parts({
        type: 'file',
        file: { filename: '漢'.repeat(n), file_data: 'data:application/pdf;base64,AAAA' },
      }),
  },
  'a data URL of parameters': {
    pieceBytes: 2,
    members: (n) => parts({ type: 'image_url', image_url: { url: `data:${';a'.repeat(n)}` } }),
  },
  'a data URL of semicolons': {
    pieceBytes: 1,
    members: (n) => parts({ type: 'image_url', image_url: { url: `data:${';'.repeat(n)},x` } }),
  },
  'a file in base64': {
    pieceBytes: 1,
    members: (n) =>
      parts({
        type: 'file',
        file: { filename: 'a.txt', file_data: `data:text/plain;base64,${'A'.repeat(n)}` },
      }),
  },
  'a file that is no base64': {
    pieceBytes: 1,
    members: (n) => parts({ type: 'file', file: { filename: 'a.pdf', file_data: `${'A'.repeat(n)}!` } }),
  },
  'texts of escaped data URLs': {
    pieceBytes: 1_000_030,
    members: (n) =>
      parts(
        ...list(n, () => ({ type: 'file', file: { file_data: `data:text/plain,${'%41'.repeat(333_000)}` } })),
      ),
  },
  'a strict schema of properties': {
    pieceBytes: 30,
    max: 9_900,
    members: (n) =>
      tool(
        properties(n, () => ({ type: 'string', minLength: 1 })),
        true,
      ),
  },
  'a strict schema of long words': {
    pieceBytes: 1,
    members: (n) =>
      tool({ type: 'object', properties: { a: { type: 'string', pattern: 'x'.repeat(n) } } }, true),
  },
  'a strict schema of values': {
    pieceBytes: 2,
    max: 190_000,
    members: (n) => tool({ type: 'object', properties: { a: { examples: list(n, () => 1) } } }, true),
  },
  'a schema in schemas': {
    pieceBytes: 60,
    max: 12,
    members: (n) =>
      format(
        list(n, () => 0).reduce<object>(
          (inner) => ({ type: 'object', properties: { a: inner }, not: inner }),
          {},
        ),
      ),
  },
  'a format of properties': {
    pieceBytes: 30,
    max: 9_900,
    members: (n) =>
      format({ ...properties(n, () => ({ type: 'string', minLength: 1 })), additionalProperties: false }),
  },
  'a format of one long text': {
    pieceBytes: 1,
    members: (n) =>
      format({ type: 'object', properties: {}, title: 'x'.repeat(n), additionalProperties: false }),
  },
  'references to definitions': {
    pieceBytes: 30,
    max: 9_000,
    members: (n) =>
      tool(
        {
          ...properties(n, (i) => ({ $ref: `#/$defs/d${i % 100}` })),
          $defs: properties(100, () => ({ type: 'string' })).properties,
        },
        true,
      ),
  },
};

/** All of them for one provider of the sink. */
export function nestedShapes(slug: SinkSlug, sink: Pick<Sink, 'image'>): readonly Shape[] {
  const media: Readonly<Record<string, Nested>> = {
    'one image in 100 parts': repeated(sink.image(200 * 1024), 100),
    'one large image again and again': repeated(sink.image(10 * 1024 * 1024), 20_000),
  };
  return [
    ...shapes(`chat to ${slug}`, { ...CHATS, ...media }, slug, '/api/v1/chat/completions'),
    ...shapes(`Messages to ${slug}`, NESTED_MESSAGES, slug, '/api/v1/messages'),
  ];
}

function repeated(url: string, max: number): Nested {
  return {
    pieceBytes: 100,
    max,
    members: (n) => parts(...list(n, () => ({ type: 'image_url', image_url: { url } }))),
  };
}

function shapes(what: string, all: Readonly<Record<string, Nested>>, slug: SinkSlug, path: string): Shape[] {
  return Object.entries(all).map(([name, { pieceBytes, max = Number.POSITIVE_INFINITY, members }]) => ({
    name: `${what}: ${name}`,
    maxCount: Math.min(max, Math.floor((INFERENCE_BYTES - 2_000_000) / pieceBytes)),
    make: (count) => post(path, { model: `sink/${slug}`, max_tokens: 100, ...members(count) }),
  }));
}

function post(path: string, body: object): RawRequest {
  const headers = { 'content-type': 'application/json' };
  return { method: 'POST', path, caller: 'api key', headers, body: Buffer.from(JSON.stringify(body)) };
}
