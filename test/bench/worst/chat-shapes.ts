/** Chats that may be expensive for the gateway: with many of something, over every transport that accepts JSON. */
import { BYOK_MODEL } from '../catalog.js';
import type { RawRequest } from './request.js';
import { INFERENCE_BYTES, type Shape } from './shape.js';
import { many } from './wire.js';

/** Members beside the model, so many of their pieces; bytes of a piece. */
interface Members {
  readonly pieceBytes: number;
  members(count: number): string;
}

const MESSAGES = '"messages":[{"role":"user","content":"x"}]';
const beside = (pieceBytes: number, more: (count: number) => string): Members => ({
  pieceBytes,
  members: (count) => `${MESSAGES},${more(count)}`,
});
const text = (piece: string): Members => ({
  pieceBytes: Buffer.byteLength(piece),
  members: (count) => `"messages":[{"role":"user","content":"${piece.repeat(count)}"}]`,
});
const messages = (pieceBytes: number, piece: (index: number) => string): Members => ({
  pieceBytes,
  members: (count) => `"messages":[${many(count, piece)}]`,
});
const parts = (pieceBytes: number, piece: (index: number) => string): Members => ({
  pieceBytes,
  members: (count) => {
    const perMessage = Math.min(count, 10_000);
    const message = () => `{"role":"user","content":[${many(perMessage, piece)}]}`;
    return `"messages":[${many(Math.ceil(count / perMessage), message)}]`;
  },
});

/** Over REST. */
const MEMBERS: Readonly<Record<string, Members>> = {
  'unknown members': beside(12, (n) => many(n, (i) => `"k${i}":1`)),
  'unknown members named as numbers': beside(12, (n) => many(n, (i) => `"${i * 7}":1`)),
  'members of one name': beside(6, (n) => many(n, () => '"a":1')),
  'long names': beside(1010, (n) => many(n, (i) => `"${'k'.repeat(1000)}${i}":1`)),
  'very long names': beside(16_420, (n) => many(n, (i) => `"${'k'.repeat(16_400)}${i + 1e6}":1`)),
  'members of a member': beside(12, (n) => `"zzz":{${many(n, (i) => `"k${i}":1`)}}`),
  'a list of numbers': beside(2, (n) => `"zzz":[${many(n, () => '1')}]`),
  'a list of long numbers': beside(25, (n) => `"zzz":[${many(n, (i) => `0.12345678901234567${i}`)}]`),
  'a list of texts': beside(11, (n) => `"zzz":[${many(n, (i) => `"s${i}"`)}]`),
  'empty lists': beside(3, (n) => `"zzz":[${many(n, () => '[]')}]`),
  'objects of other members': beside(
    40,
    (n) => `"zzz":[${many(n, (i) => `{"a${i}":1,"b${i}":2,"c${i}":3}`)}]`,
  ),
  'objects of the same members': beside(19, (n) => `"zzz":[${many(n, () => '{"a":1,"b":2,"c":3}')}]`),
  'lists in lists': beside(2, (n) => `"zzz":${'['.repeat(n)}${']'.repeat(n)}`),
  'objects in objects': beside(6, (n) => `"zzz":${'{"a":'.repeat(n)}1${'}'.repeat(n)}`),
  'lists of depth 60': beside(120, (n) => `"zzz":[${many(n, () => '['.repeat(60) + ']'.repeat(60))}]`),
  'a text': text('a'),
  'a text of words': text('a '),
  'a text of escapes': text('\\"'),
  'a text of escaped letters': text('\\u0039'),
  'a text of escaped control characters': text('\\u0001'),
  'a text of escaped halves': text('\\ud83d\\ude00'),
  'a text of two bytes a letter': text('é'),
  'a text of three bytes a letter': text('漢'),
  'a text of four bytes a letter': text('😀'),
  'a text of ASCII after one letter that is not': {
    pieceBytes: 1,
    members: (n) => `"messages":[{"role":"user","content":"漢${'a'.repeat(n)}"}]`,
  },
  'texts of 4 kB': beside(4099, (n) => `"zzz":[${many(n, () => `"${'a'.repeat(4096)}"`)}]`),
  'texts of 4 kB, not ASCII': beside(4103, (n) => `"zzz":[${many(n, () => `"漢${'é'.repeat(2048)}"`)}]`),
  'an image': {
    pieceBytes: 1,
    members: (n) =>
      `"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,${'A'.repeat(n)}"}}]}]`,
  },
  messages: messages(30, () => '{"role":"user","content":"x"}'),
  'messages with a member of their own': messages(42, (i) => `{"role":"user","content":"x","k${i}":1}`),
  'messages with members of their own': messages(
    230,
    (i) => `{"role":"user","content":"x",${many(18, (j) => `"k${i}x${j}":1`)}}`,
  ),
  'messages that are wrong': messages(3, () => '{}'),
  'messages that are no objects': messages(2, () => '1'),
  parts: parts(26, () => '{"type":"text","text":"x"}'),
  'parts with a member more': parts(32, () => '{"type":"text","text":"x","x":1}'),
  'parts with an object more': parts(38, () => '{"type":"text","text":"x","x":{"y":1}}'),
  'parts that are wrong': parts(3, () => '{}'),
  tools: beside(50, (n) => `"tools":[${many(n, (i) => `{"type":"function","function":{"name":"f${i}"}}`)}]`),
  'a tool of a large schema': beside(
    30,
    (n) =>
      `"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{${many(n, (i) => `"p${i}":{"type":"string"}`)}}}}}]`,
  ),
  'calls of tools': {
    pieceBytes: 74,
    members: (n) =>
      `"messages":[{"role":"assistant","tool_calls":[${many(n, (i) => `{"id":"c${i}","type":"function","function":{"name":"x","arguments":"{}"}}`)}]}]`,
  },
  'a long name of a model': beside(1, (n) => `"model":"${'m'.repeat(n)}"`),
  'a long name of a role': { pieceBytes: 1, members: (n) => `"messages":[{"role":"${'r'.repeat(n)}"}]` },
  'a long type of a part': {
    pieceBytes: 1,
    members: (n) => `"messages":[{"role":"user","content":[{"type":"${'t'.repeat(n)}"}]}]`,
  },
  'models to try': beside(10, (n) => `"models":[${many(n, (i) => `"m${i}"`)}]`),
  'providers in order': beside(10, (n) => `"provider":{"order":[${many(n, (i) => `"p${i}"`)}]}`),
  'stop sequences': beside(10, (n) => `"stop":[${many(n, (i) => `"s${i}"`)}]`),
  quotes: beside(2, (n) => `"zzz":${'""'.repeat(n)}`),
  'escaped quotes': beside(2, (n) => `"zzz":"${'\\"'.repeat(n)}`),
  spaces: beside(1, (n) => `"zzz":${' '.repeat(n)}1`),
  commas: beside(1, (n) => `"zzz":[${','.repeat(n)}]`),
  colons: beside(1, (n) => `"zzz":${':'.repeat(n)}`),
  digits: beside(1, (n) => `"zzz":${'1'.repeat(n)}`),
};

/** Shapes that are also sent on to a provider: the demo provider gets no bytes. */
const SENT_ON = [
  'unknown members',
  'a list of numbers',
  'objects of the same members',
  'a text',
  'a text of escapes',
  'a text of three bytes a letter',
  'a text of ASCII after one letter that is not',
  'texts of 4 kB, not ASCII',
  'an image',
  'messages with members of their own',
  'parts with a member more',
  'calls of tools',
] as const;

/** Over Connect JSON, where they are spelled differently. */
const PROTO_MEMBERS: Readonly<Record<string, Members>> = {
  ...within(
    'a list of numbers',
    'a list of texts',
    'members of a member',
    'empty lists',
    'objects of other members',
    'objects of the same members',
    'lists in lists',
  ),
  'unknown members': beside(12, (n) => many(n, (i) => `"k${i}":1`)),
  'an unknown list': MEMBERS['a list of numbers'] as Members,
  messages: messages(22, () => '{"role":"user"}'),
  parts: {
    pieceBytes: 26,
    members: (n) => {
      const values = `{"role":"user","content":{"parts":{"values":[${many(Math.min(n, 10_000), () => '{"type":"text","text":"x"}')}]}}}`;
      return `"messages":[${many(Math.ceil(n / 10_000), () => values)}]`;
    },
  },
  'a text': {
    pieceBytes: 1,
    members: (n) => `"messages":[{"role":"user","content":{"text":"${'a'.repeat(n)}"}}]`,
  },
  'a text of three bytes a letter': {
    pieceBytes: 3,
    members: (n) => `"messages":[{"role":"user","content":{"text":"${'漢'.repeat(n)}"}}]`,
  },
};

/** The members as members of `extra`, where proto JSON has what it has no field for. */
function within(...names: readonly string[]): Record<string, Members> {
  const wrapped = names.map((name): [string, Members] => {
    const { pieceBytes, members } = MEMBERS[name] as Members;
    const extra = (count: number) => `{${members(count).slice(MESSAGES.length + 1)}}`;
    return [name, { pieceBytes, members: (n) => `"messages":[{"role":"user"}],"extra":${extra(n)}` }];
  });
  return Object.fromEntries(wrapped);
}

/** Chats of every shape over REST, in one piece and as a stream, and over Connect JSON. */
export const CHAT_SHAPES: readonly Shape[] = [
  ...shapes('REST chat', MEMBERS, (members) =>
    post('/api/v1/chat/completions', `{"model":"demo/echo",${members}}`),
  ),
  ...shapes('REST chat of a provider', pick(...SENT_ON), (members) =>
    post('/api/v1/chat/completions', `{"model":"${BYOK_MODEL}",${members}}`),
  ),
  ...shapes('REST chat that ends wrong', pick('a list of numbers', 'a text', 'messages'), (members) =>
    post(
      '/api/v1/chat/completions',
      Buffer.concat([Buffer.from(`{"model":"demo/echo",${members}`), Buffer.of(0xff)]),
    ),
  ),
  ...shapes('REST stream', pick('a text', 'parts', 'messages'), (members) =>
    post('/api/v1/chat/completions', `{"model":"demo/echo","stream":true,${members}}`),
  ),
  ...shapes('Connect JSON chat', PROTO_MEMBERS, (members) =>
    post('/byway.v1.ChatService/CreateChatCompletion', `{"chat":{"model":"demo/echo",${members}}}`),
  ),
];

function pick(...names: readonly string[]): Record<string, Members> {
  return Object.fromEntries(names.map((name) => [name, MEMBERS[name] as Members]));
}

function shapes(
  what: string,
  all: Readonly<Record<string, Members>>,
  request: (members: string) => RawRequest,
): Shape[] {
  return Object.entries(all).map(([name, { pieceBytes, members }]) => ({
    name: `${what}: ${name}`,
    maxCount: Math.floor((INFERENCE_BYTES - 2_000) / pieceBytes),
    make: (count) => request(members(count)),
  }));
}

function post(path: string, body: string | Buffer): RawRequest {
  const headers = { 'content-type': 'application/json' };
  return { method: 'POST', path, caller: 'api key', headers, body: Buffer.from(body) };
}
