/**
 * The built server with the heap and the memory that the manifests give it, against the largest answers of hostile
 * providers: whatever one of them sends, the caller is told so, and others are answered.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AnswerShape, Protocol } from '../bench/worst/answer-shape.js';
import { answerShapes } from '../bench/worst/answer-shapes.js';
import {
  addScriptedKeys,
  requestFor,
  type ScriptedProvider,
  scriptedCatalog,
  startScriptedProvider,
  titleOf,
} from '../bench/worst/scripted.js';
import { SmallServer } from '../support/small-server.js';

const CLAUDE =
  /^(?:(?:nested objects|objects|names|within every limit) as the input of a call|nested lists as content|text as a text|objects as an error|nested objects as a block of an event|a gzip bomb|blocks|citations|counts)$/;

/** What nests, what is wide, what is long and what is many, at the places of each protocol where it takes most. */
const SHAPES: Readonly<Record<Protocol, RegExp>> = {
  openai:
    /^(?:nested (?:lists|objects) as (?:all of it|a member|arguments in a text|an error)|objects as (?:choices|reasoning details|an error)|names as (?:a member|usage)|text as content|escapes as content|nested objects as (?:delta|calls of tools) of an event|names as a member of an event|text as content of an event|a gzip bomb|a line without end|lines of data without end|empty lines|choices|calls|members)$/,
  azure: /^(?:nested objects as (?:a member|an error)|names as a member|a gzip bomb)$/,
  anthropic: CLAUDE,
  messages: CLAUDE,
  bedrock:
    /^(?:(?:nested objects|objects|names|within every limit) as (?:the input of a call|an error)|nested lists as its content|(?:nested objects|objects|names|text) as the delta of a frame|a gzip bomb|empty frames|headers without values|calls)$/,
  vertex:
    /^(?:(?:nested objects|objects|names|within every limit) as arguments of a call|objects as (?:candidates|sources|an error)|nested lists as parts(?: of an event)?|a gzip bomb|candidates|kinds of tokens)$/,
};

/** Of them what takes most, one at a time. */
const AT_ONCE_NAMES: Readonly<Partial<Record<Protocol, RegExp>>> = {
  openai: /^(?:nested objects as arguments in a text|objects as choices|a gzip bomb|a line without end)$/,
  messages: /^(?:objects as the input of a call|text as a text|blocks)$/,
  bedrock: /^(?:objects as (?:the input of a call|the delta of a frame)|empty frames)$/,
  vertex: /^(?:objects as candidates|kinds of tokens)$/,
};

const CHOSEN = answerShapes().filter(({ protocol, name }) => SHAPES[protocol].test(name));

let provider: ScriptedProvider;
let small: SmallServer;

beforeAll(async () => {
  provider = await startScriptedProvider();
  small = await SmallServer.start(scriptedCatalog(provider.origin));
  await addScriptedKeys(small.origin, small.server.managementKey, provider.origin);
});

afterAll(async () => {
  await small.stop();
  await provider.close();
});

/** What the caller gets, in one piece or at the end of its stream. */
async function ask(shape: AnswerShape): Promise<'an answer' | 'an error' | 'no end'> {
  const { method, path, headers, body } = requestFor(shape);
  const response = await fetch(small.origin + path, {
    method,
    headers: { ...headers, authorization: small.authorization },
    body: new Uint8Array(body),
  });
  const text = await response.text();
  const last = text.slice(text.lastIndexOf('\ndata: ') + 1).replace(/^data: /, '');
  if (last.startsWith('[DONE]')) return 'an answer';
  const told = JSON.parse(last);
  if (typeof told.error?.message === 'string') return 'an error';
  return !shape.isStreamed || told.type === 'message_stop' ? 'an answer' : 'no end';
}

/** Long, and no more than a model may write. */
const WRITTEN =
  /^(?:text|escapes) as (?:content|a text)$|as arguments in a text$|^within every limit as (?:the input|arguments) of a call$/;

function expected({ name }: AnswerShape): string {
  return WRITTEN.test(name) ? 'an answer' : 'an error';
}

describe.each(Object.keys(SHAPES) as Protocol[])('the largest answers of %s', (protocol) => {
  it('are told one after the other, and so is everybody else', async () => {
    const shapes = CHOSEN.filter((shape) => shape.protocol === protocol);
    expect(shapes.length).toBeGreaterThan(4);
    for (const shape of shapes) {
      provider.answer(shape.make());
      const title = titleOf(shape);
      const told = await small.watch(title, () => ask(shape));
      expect([title, told]).toEqual([title, expected(shape)]);
      await small.expectAlive(title);
    }
    small.expectSmall();
  }, 120_000);
});

const AT_ONCE = CHOSEN.filter(({ protocol, name }) => AT_ONCE_NAMES[protocol]?.test(name) === true);

it.each(AT_ONCE.map((shape) => [titleOf(shape), shape] as const))(
  'four at once are told: %s',
  async (_, shape) => {
    provider.answer(shape.make());
    const told = await Promise.all([1, 2, 3, 4].map(() => ask(shape)));
    expect(told).toEqual(told.map(() => expected(shape)));
    await small.expectAlive();
  },
  120_000,
);
