/**
 * The built server with the heap and the memory that the manifests give it, against the largest requests of every shape
 * that nests: whatever one account sends, others are answered.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nestedShapes } from '../bench/worst/nested-shapes.js';
import { send } from '../bench/worst/request.js';
import type { Shape } from '../bench/worst/shape.js';
import { type Sink, type SinkSlug, sinkCatalog, startSink } from '../bench/worst/sink.js';
import { addSinkKeys } from '../bench/worst/sink-gateway.js';
import { limitMemory, type MemoryLimit } from '../support/memory-limit.js';
import { type ServerProcess, startServerProcess } from '../support/server-process.js';

const MIB = 1024 * 1024;

/** What V8 takes of the memory, and the memory. */
const HEAP_MIB = 512;
const MEMORY_BYTES = 1024 * MIB;

/** What a single request may add to the memory of a process. */
const MAX_GROWTH_BYTES = 300 * MIB;

/** By the provider that has to do most with them. */
const SHAPES: Readonly<Partial<Record<SinkSlug, RegExp>>> = {
  openai:
    /Messages .*(?:mark of|marks|results of lists|input of texts|name of the user)|strict schema of values/,
  anthropic: /arguments of (?:empty|a text of)|results of lists|long id|format of one long text/,
  bedrock:
    /arguments of (?:empty|objects)|files of one name|long name of a file|data URL|again and again|in 100 parts/,
  gemini: /result of (?:empty|objects|a text of)|signature|call with a long name|no base64/,
  'vertex-claude': /arguments of lists|again and again|in 100 parts/,
  'claude-native': /Messages .*(?:mark of|marks)/,
};

let sink: Sink;
let server: ServerProcess;
let limit: MemoryLimit | undefined;
let folder: string;

beforeAll(async () => {
  sink = await startSink();
  folder = mkdtempSync(join(tmpdir(), 'byway-catalog-'));
  const catalog = join(folder, 'catalog.json');
  writeFileSync(catalog, JSON.stringify(sinkCatalog(sink)));
  server = await startServerProcess({
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}`,
    BYWAY_CATALOG: catalog,
    BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1',
  });
  limit = limitMemory(server.pid, MEMORY_BYTES);
  if (limit === undefined) process.stderr.write('memory can’t be limited here: only the heap is\n');
  await addSinkKeys(origin(), server.managementKey, sink);
});

afterAll(async () => {
  const code = await server.stop();
  limit?.remove();
  await sink.close();
  rmSync(folder, { recursive: true, force: true });
  expect(code).toBe(0);
});

function origin(): string {
  return `http://127.0.0.1:${server.port}`;
}

function ask(shape: Shape, count = shape.maxCount): Promise<string> {
  return send(origin(), shape.make(count), `Bearer ${server.apiKey}`);
}

/** Whether it answers, and how often it was killed for its memory. */
async function state() {
  return [(await fetch(`${origin()}/healthz`)).status, limit?.kills() ?? 0];
}

const ALIVE = [200, 0];

/** The sink refuses whatever reaches it, and so does the gateway what goes too far: an answer, whichever it is. */
const ANSWERED = /^(?:400|413|502)$/;

describe.each(Object.entries(SHAPES))('the largest requests to %s', (slug, chosen) => {
  it('are answered one after the other, and so is everybody else', async () => {
    const shapes = nestedShapes(slug as SinkSlug, sink).filter(({ name }) => chosen.test(name));
    expect(shapes.length).toBeGreaterThan(1);
    const grown: [string, number][] = [];
    const received = sink.received();
    for (const shape of shapes) {
      server.forgetPeak();
      const before = server.peakBytes();
      expect([shape.name, await ask(shape)]).toEqual([shape.name, expect.stringMatching(ANSWERED)]);
      grown.push([shape.name, server.peakBytes() - before]);
      expect([shape.name, ...(await state())]).toEqual([shape.name, ...ALIVE]);
    }
    expect(sink.received()).toBeGreaterThan(received);
    expect(grown.filter(([, bytes]) => bytes > MAX_GROWTH_BYTES)).toEqual([]);
  }, 120_000);
});

it.each([
  ['openai', /unsigned mark of objects/],
  ['bedrock', /arguments of empty lists/],
  ['gemini', /a result of objects in objects/],
  ['bedrock', /one large image again and again/],
] as const)(
  'four at once are answered, to %s: %s',
  async (slug, chosen) => {
    const shape = nestedShapes(slug, sink).find(({ name }) => chosen.test(name));
    if (shape === undefined) throw new Error('no such shape');
    const answers = await Promise.all([1, 2, 3, 4].map(() => ask(shape)));
    expect(answers).toEqual(answers.map(() => expect.stringMatching(ANSWERED)));
    expect(await state()).toEqual(ALIVE);
  },
  120_000,
);
