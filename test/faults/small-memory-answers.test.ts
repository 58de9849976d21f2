/**
 * The built server with the heap and the memory that the manifests give it, against the largest answers of hostile
 * providers: whatever one of them sends, the caller is told so, and others are answered.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
import { limitMemory, type MemoryLimit } from '../support/memory-limit.js';
import { type ServerProcess, startServerProcess } from '../support/server-process.js';

const MIB = 1024 * 1024;

/** What V8 takes of the memory, and the memory. */
const HEAP_MIB = 512;
const MEMORY_BYTES = 1024 * MIB;

/** What a single answer may add to the memory of a process. */
const MAX_GROWTH_BYTES = 300 * MIB;

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
let server: ServerProcess;
let limit: MemoryLimit | undefined;
let folder: string;

beforeAll(async () => {
  provider = await startScriptedProvider();
  folder = mkdtempSync(join(tmpdir(), 'byway-catalog-'));
  const catalog = join(folder, 'catalog.json');
  writeFileSync(catalog, JSON.stringify(scriptedCatalog(provider.origin)));
  server = await startServerProcess({
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}`,
    BYWAY_CATALOG: catalog,
    BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1',
  });
  limit = limitMemory(server.pid, MEMORY_BYTES);
  if (limit === undefined) process.stderr.write('memory can’t be limited here: only the heap is\n');
  await addScriptedKeys(origin(), server.managementKey, provider.origin);
});

afterAll(async () => {
  const code = await server.stop();
  limit?.remove();
  await provider.close();
  rmSync(folder, { recursive: true, force: true });
  expect(code).toBe(0);
});

function origin(): string {
  return `http://127.0.0.1:${server.port}`;
}

/** What the caller gets, in one piece or at the end of its stream. */
async function ask(shape: AnswerShape): Promise<'an answer' | 'an error' | 'no end'> {
  const { method, path, headers, body } = requestFor(shape);
  const response = await fetch(origin() + path, {
    method,
    headers: { ...headers, authorization: `Bearer ${server.apiKey}` },
    body: new Uint8Array(body),
  });
  const text = await response.text();
  const last = text.slice(text.lastIndexOf('\ndata: ') + 1).replace(/^data: /, '');
  if (last.startsWith('[DONE]')) return 'an answer';
  const told = JSON.parse(last);
  if (typeof told.error?.message === 'string') return 'an error';
  return !shape.isStreamed || told.type === 'message_stop' ? 'an answer' : 'no end';
}

/** Whether it answers, and how often it was killed for its memory. */
async function state() {
  return [(await fetch(`${origin()}/healthz`)).status, limit?.kills() ?? 0];
}

const ALIVE = [200, 0];

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
    const grown: [string, number][] = [];
    for (const shape of shapes) {
      provider.answer(shape.make());
      server.forgetPeak();
      const before = server.peakBytes();
      expect([titleOf(shape), await ask(shape)]).toEqual([titleOf(shape), expected(shape)]);
      grown.push([titleOf(shape), server.peakBytes() - before]);
      expect([titleOf(shape), ...(await state())]).toEqual([titleOf(shape), ...ALIVE]);
    }
    expect(grown.filter(([, bytes]) => bytes > MAX_GROWTH_BYTES)).toEqual([]);
  }, 120_000);
});

const AT_ONCE = CHOSEN.filter(({ protocol, name }) => AT_ONCE_NAMES[protocol]?.test(name) === true);

it.each(AT_ONCE.map((shape) => [titleOf(shape), shape] as const))(
  'four at once are told: %s',
  async (_, shape) => {
    provider.answer(shape.make());
    const told = await Promise.all([1, 2, 3, 4].map(() => ask(shape)));
    expect(told).toEqual(told.map(() => expected(shape)));
    expect(await state()).toEqual(ALIVE);
  },
  120_000,
);
