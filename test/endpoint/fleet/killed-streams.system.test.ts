import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { Database } from '../../../src/store/database/database.js';
import { demoModel, testCatalog } from '../../support/catalog.js';
import { openDuringTest, temporaryDatabaseUrl, usualKind } from '../../support/database.js';
import { FAKE_API_KEY, startFakeAnthropic } from '../../support/fakes/fake-anthropic.js';
import { bodyOf, caller, recordOf } from '../../support/rest.js';
import { expectClean, reservations } from '../money/reserved.js';
import { type ServingProcess, serveFrom, temporaryDataDir } from '../serving.js';

const STREAMS = 50;
const WORD = 'delivered ';
const WORD_MS = 20;
const CHARACTERS_PER_TOKEN = 4;

/** What a stream sends in a second; the words of a busy machine come slower. */
const CHARACTERS_PER_SECOND = (WORD.length * 1_000) / WORD_MS;

/** Enough for a minute. */
const PROMPT = WORD.repeat(3_000);

const PATIENCE = { timeout: 30_000, interval: 50 };

/** The model's id at Anthropic, and what that counts of its prompt. */
const UPSTREAM = 'claude-sonnet-4-6';
const COUNTED_PROMPT = 4_321;

async function slowCatalog() {
  const anthropic = await startFakeAnthropic();
  const content = [{ type: 'text', text: PROMPT }];
  anthropic.plan(UPSTREAM, { content, paceMs: WORD_MS, usage: { input_tokens: COUNTED_PROMPT } });
  const { providers, models } = testCatalog();
  const model = (id: string, provider: string, upstream_model_id: string) =>
    demoModel(id, [{ provider, upstream_model_id }], { context_length: 100_000 });
  return {
    providers: [
      ...providers,
      { slug: 'anthropic', name: 'Anthropic', adapter: 'anthropic', base_url: anthropic.baseUrl },
    ],
    models: [
      ...models,
      model('demo/slow', 'demo', `slow-${WORD_MS}`),
      model('demo/own', 'a', `slow-${WORD_MS}`),
      model('anthropic/claude', 'anthropic', UPSTREAM),
    ],
  };
}

/** How a stream is asked for: by APIs, on shared capacity and with BYOK keys, in the provider's format and translated. */
const ASKED = [
  { path: '/chat/completions', model: 'demo/slow', isByok: false, lane: null },
  { path: '/messages', model: 'demo/slow', isByok: false, lane: 'translated' },
  { path: '/chat/completions', model: 'demo/own', isByok: true, lane: null },
  { path: '/messages', model: 'demo/own', isByok: true, lane: 'translated' },
  { path: '/messages', model: 'anthropic/claude', isByok: true, lane: 'native' },
] as const;

type Asked = (typeof ASKED)[number];

interface Received {
  readonly asked: Asked;
  generationId: string;
  /** Characters of the answer that came. */
  characters: number;
  ended: Promise<void>;
  leave(): void;
}

function stream({ rest }: ServingProcess, apiKey: string, index: number): Received {
  const asked = ASKED[index % ASKED.length] ?? ASKED[0];
  const { path, model } = asked;
  const leaving = new AbortController();
  const received: Received = {
    leave: () => leaving.abort(),
    asked,
    generationId: '',
    characters: 0,
    ended: Promise.resolve(),
  };
  const read = async () => {
    const answer = await fetch(`${rest}${path}`, {
      method: 'POST',
      signal: leaving.signal,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model,
        stream: true,
        max_tokens: 50_000,
        messages: [{ role: 'user', content: PROMPT }],
      }),
    });
    expect(answer.status).toBe(200);
    received.generationId = answer.headers.get('x-generation-id') ?? '';
    let text = '';
    for await (const chunk of answer.body ?? []) {
      text += Buffer.from(chunk).toString();
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) if (line.startsWith('data: {')) received.characters += charactersIn(line);
    }
  };
  received.ended = read().catch(() => undefined);
  return received;
}

function charactersIn(line: string): number {
  const event = JSON.parse(line.slice('data: '.length));
  const text = event.choices?.[0]?.delta?.content ?? event.delta?.text ?? '';
  return text.length;
}

async function startSlow(databaseUrl?: string, env: Readonly<Record<string, string>> = {}) {
  const dataDir = temporaryDataDir();
  const catalog = await slowCatalog();
  const options = { catalog, env, ...(databaseUrl !== undefined && { databaseUrl }) };
  const serving = await serveFrom(dataDir, options);
  const { managementKey } = await serving.keys;
  const manage = caller(serving, managementKey);
  const key = `demo-slow-${WORD_MS}-0123456789`;
  recordOf(await manage('POST', '/byok', { provider: 'a', key, is_required: true }));
  recordOf(await manage('POST', '/byok', { provider: 'anthropic', key: FAKE_API_KEY, is_required: true }));
  const created = bodyOf(
    await manage('POST', '/keys', { name: 'limited', limit: 9, include_byok_in_limit: true }),
  );
  return { dataDir, serving, catalog, apiKey: String(created.key), databaseUrl: serving.databaseUrl };
}

/** Streams that have run for some seconds when the process is killed, and what their clients have by then. */
async function killedStreams(
  serving: ServingProcess,
  apiKey: string,
  count = STREAMS,
): Promise<readonly Received[]> {
  const all = Array.from({ length: count }, (_, index) => stream(serving, apiKey, index));
  await vi.waitFor(() => expect(all.every(({ characters }) => characters > 0)).toBe(true), PATIENCE);
  await sleep(2_200 + Math.random() * 1_000);
  await serving.kill();
  await Promise.all(all.map(({ ended }) => ended));
  return all;
}

const BILLED = { byok: 'byok_cost', shared: 'credit_spend' };
const UNBILLED = { byok: 'unbilled_byok_cost', shared: 'unbilled_spend' };

async function expectCharged(database: Database, all: readonly Received[], kinds = BILLED): Promise<void> {
  const rows = await database.query.selectFrom('generation').selectAll().execute();
  const entries = await database.query.selectFrom('ledger_entry').selectAll().execute();
  for (const { generationId, characters, asked } of all) {
    const [record, ...more] = rows.filter(({ id }) => id === generationId);
    expect([record?.id, more]).toEqual([generationId, []]);
    expect(record).toMatchObject({ counted_by: 'estimate', finish_reason: 'error', lane: asked.lane });
    const charged = Number(record?.tokens_completion) * CHARACTERS_PER_TOKEN;
    expect(charged).toBeGreaterThanOrEqual(characters - CHARACTERS_PER_SECOND);
    expect(charged).toBeLessThanOrEqual(characters + CHARACTERS_PER_SECOND);
    if (asked.lane === 'native') expect(record?.tokens_prompt).toBe(COUNTED_PROMPT);
    else expect(record?.tokens_prompt).toBeGreaterThan(1_000);
    const paid = entries.filter(({ generation_id }) => generation_id === generationId);
    expect(paid.map(({ kind }) => kind)).toEqual([asked.isByok ? kinds.byok : kinds.shared]);
  }
  expect(await database.query.selectFrom('stream_journal').selectAll().execute()).toEqual([]);
}

describe('kill -9 while streams are being sent', () => {
  it('what their clients had got, but for a second of it, is charged at the next start, once', async () => {
    const { dataDir, serving, catalog, apiKey, databaseUrl } = await startSlow();
    const all = await killedStreams(serving, apiKey);
    const database = await openDuringTest(databaseUrl);
    let next = await serveFrom(dataDir, { catalog, databaseUrl });
    await expectCharged(database, all);
    expect(await reservations(database)).toEqual([]);
    await expectClean(dataDir, databaseUrl);
    await next.kill();
    next = await serveFrom(dataDir, { catalog, databaseUrl });
    await expectCharged(database, all);
    await expectClean(dataDir, databaseUrl);
    await next.stop();
  }, 60_000);

  it.each([
    ['off', 'on', UNBILLED],
    ['on', 'off', BILLED],
  ])(
    'admitted with BYWAY_BILLING=%s and settled by a process with %s, they go by the first',
    async (billing, later, kinds) => {
      const { dataDir, serving, catalog, apiKey, databaseUrl } = await startSlow(undefined, {
        BYWAY_BILLING: billing,
      });
      const all = await killedStreams(serving, apiKey, ASKED.length);
      const next = await serveFrom(dataDir, { catalog, databaseUrl, env: { BYWAY_BILLING: later } });
      const database = await openDuringTest(databaseUrl);
      await expectCharged(database, all, kinds);
      expect(await reservations(database)).toEqual([]);
      await expectClean(dataDir, databaseUrl);
      await next.stop();
    },
    60_000,
  );

  it.runIf(usualKind() === 'postgres')(
    'one of three processes: the others charge it, once, and keep what was reserved until then',
    async () => {
      const { dataDir, serving, catalog, apiKey, databaseUrl } = await startSlow(
        await temporaryDatabaseUrl('postgres'),
      );
      const options = { catalog, databaseUrl };
      const others = [await serveFrom(dataDir, options), await serveFrom(dataDir, options)];
      const database = await openDuringTest(databaseUrl);
      const all = await killedStreams(serving, apiKey);
      const ids = all.map(({ generationId }) => generationId);
      await vi.waitFor(async () => {
        const open = await database.query.selectFrom('reservation').select('id').execute();
        const recorded = await database.query.selectFrom('generation').select('id').execute();
        const known = new Set([...open, ...recorded].map(({ id }) => id));
        if (ids.some((id) => !known.has(id))) throw new Error('neither reserved nor charged');
        expect(recorded.filter(({ id }) => ids.includes(id))).toHaveLength(STREAMS);
      }, PATIENCE);
      await expectCharged(database, all);
      await vi.waitFor(async () => expect(await reservations(database)).toEqual([]), PATIENCE);
      await expectClean(dataDir, databaseUrl);
      for (const other of others) await other.stop();
    },
    90_000,
  );

  it('streams that end leave nothing in the journal', async () => {
    const { serving, apiKey, databaseUrl } = await startSlow();
    const database = await openDuringTest(databaseUrl);
    const all = ASKED.map((_, index) => stream(serving, apiKey, index));
    const noted = () => database.query.selectFrom('stream_journal').select('generation_id').execute();
    await vi.waitFor(async () => expect(await noted()).toHaveLength(ASKED.length), PATIENCE);
    for (const { leave } of all) leave();
    await vi.waitFor(async () => expect(await noted()).toEqual([]), PATIENCE);
    const rows = await database.query.selectFrom('generation').select('status').execute();
    expect(rows.map(({ status }) => status)).toEqual(ASKED.map(() => 'cancelled'));
    await serving.kill();
  }, 90_000);
});
