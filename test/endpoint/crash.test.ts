import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Database } from '../../src/store/database.js';
import { documentOf, inProcess } from '../support/byway.js';
import { demoModel, testCatalog } from '../support/catalog.js';
import { openDuringTest } from '../support/database.js';
import { bodyOf, caller, type Row, recordOf } from '../support/rest.js';
import { type ServingProcess, serveFrom, temporaryDataDir } from './serving.js';
import { type Storm, storm, type Whole } from './storm.js';

/** `npm run crash-test` asks for more. */
const ROUNDS = Number(process.env.CRASH_ROUNDS ?? 3);
const REQUESTS = 500;
const CONCURRENCY = 20;
const ROUND_TIMEOUT_MS = 60_000;

const LIMIT_USD = 5;

/** Over a BYOK key, on shared capacity, and slow enough to be caught in the middle. */
const MODELS = ['test/m1', 'demo/echo', 'demo/slow'];

function catalog() {
  const { providers, models } = testCatalog();
  const slow = demoModel('demo/slow', [{ provider: 'demo', upstream_model_id: 'slow-5' }]);
  return { providers, models: [...models, slow] };
}

/** A data directory with an account that uses BYOK for one of the models, and an API key with a limit. */
async function firstServing() {
  const dataDir = temporaryDataDir();
  const serving = await serveFrom(dataDir, { catalog: catalog() });
  const { databaseUrl } = serving;
  const { managementKey } = await serving.keys;
  const manage = caller(serving, managementKey);
  recordOf(await manage('POST', '/byok', { provider: 'a', key: 'demo-echo-0123456789', is_required: true }));
  const limited = { name: 'limited', limit: LIMIT_USD, include_byok_in_limit: true };
  const created = bodyOf(await manage('POST', '/keys', limited));
  const { hash } = created.data as { hash: string };
  return { dataDir, databaseUrl, serving, apiKey: String(created.key), hash, managementKey };
}

async function recordsOf({ query }: Database): Promise<ReadonlyMap<string, Whole>> {
  const rows = await query.selectFrom('generation').selectAll().execute();
  const usd = (nanoUsd: bigint) => Number(`${nanoUsd}e-9`);
  return new Map(
    rows.map((row) => {
      const upstream = row.upstream_inference_cost_nano_usd;
      const record: Whole = {
        generationId: row.id,
        promptTokens: row.tokens_prompt,
        completionTokens: row.tokens_completion,
        cost: usd(row.usage_nano_usd),
        isByok: row.byok_key_id !== null,
        upstreamCost: upstream === null ? null : usd(upstream),
      };
      return [row.id, record];
    }),
  );
}

/** The ledger is charged for each generation once; that it says what the generation says is `db check`'s. */
async function chargedTwice({ query }: Database): Promise<unknown[]> {
  return query
    .selectFrom('ledger_entry')
    .select(({ fn }) => ['generation_id', 'kind', fn.countAll<number>().as('count')])
    .where('generation_id', 'is not', null)
    .groupBy(['generation_id', 'kind'])
    .having(({ fn }) => fn.countAll(), '>', 1)
    .execute();
}

async function expectClean(dataDir: string, databaseUrl: string): Promise<void> {
  const env = { BYWAY_DATA_DIR: dataDir, BYWAY_DATABASE_URL: databaseUrl };
  const ended = await inProcess(['db', 'check', '--json'], env);
  const failed = documentOf(ended).checks.filter(({ status }: Row) => status !== 'ok');
  expect([ended.code, failed]).toEqual([0, []]);
}

async function reservations({ query }: Database) {
  const open = await query.selectFrom('reservation').select('id').execute();
  const kept = await query
    .selectFrom('spend_total')
    .select('subject')
    .where('reserved_sum_nano_usd', '!=', 0n)
    .execute();
  return [...open, ...kept];
}

/** Everything that was answered is there, once, with the same usage. */
async function expectKept(database: Database, wholes: readonly Whole[]): Promise<void> {
  const records = await recordsOf(database);
  expect(wholes.map(({ generationId }) => records.get(generationId))).toEqual(wholes);
  expect(await chargedTwice(database)).toEqual([]);
}

async function stormOf(
  serving: ServingProcess,
  apiKey: string,
  afterAnswer: (count: number) => void,
): Promise<Storm> {
  const all = await storm(serving.rest, apiKey, {
    requests: REQUESTS,
    concurrency: CONCURRENCY,
    models: MODELS,
    afterAnswer,
  });
  expect(all.refused).toEqual([]);
  return all;
}

describe('kill -9 at any moment (interface section 5, R4, R18)', () => {
  it(
    `keeps every answer exactly once and nothing reserved: ${ROUNDS} rounds`,
    async () => {
      const { dataDir, databaseUrl, serving: first, apiKey, hash, managementKey } = await firstServing();
      const database = await openDuringTest(databaseUrl);
      const wholes: Whole[] = [];
      let serving = first;
      for (let round = 0; round < ROUNDS; round++) {
        const moment = 1 + Math.floor(Math.random() * (REQUESTS - 2 * CONCURRENCY));
        let killed: Promise<void> | undefined;
        const { whole } = await stormOf(serving, apiKey, (count) => {
          if (count >= moment) killed ??= sleep(Math.random() * 20).then(() => serving.kill());
        });
        await killed;
        wholes.push(...whole);
        await expectClean(dataDir, databaseUrl);
        serving = await serveFrom(dataDir, { catalog: catalog(), databaseUrl });
        expect(await reservations(database)).toEqual([]);
        await expectClean(dataDir, databaseUrl);
        await expectKept(database, wholes);
        const next = { model: 'test/m1', messages: [{ role: 'user', content: 'Hello' }] };
        expect((await caller(serving, apiKey)('POST', '/chat/completions', next)).status).toBe(200);
      }
      const { usage, byok_usage, limit_remaining } = recordOf(
        await caller(serving, managementKey)('GET', `/keys/${hash}`),
      );
      expect(Number(limit_remaining)).toBeCloseTo(LIMIT_USD - Number(usage) - Number(byok_usage), 9);
      await serving.kill();
    },
    ROUND_TIMEOUT_MS * (1 + ROUNDS),
  );
});

describe('SIGTERM under load (R17, R25)', () => {
  it(
    'ends by itself, and loses no record of any request that has begun',
    async () => {
      const { dataDir, databaseUrl, serving, apiKey } = await firstServing();
      const database = await openDuringTest(databaseUrl);
      let stopped: Promise<number | null> | undefined;
      const { whole, begun } = await stormOf(serving, apiKey, (count) => {
        if (count >= 100) stopped ??= serving.stop();
      });
      expect(await stopped).toBe(0);
      await expectKept(database, whole);
      const records = await recordsOf(database);
      expect(begun.filter((id) => !records.has(id))).toEqual([]);
      expect(await reservations(database)).toEqual([]);
      await expectClean(dataDir, databaseUrl);
    },
    ROUND_TIMEOUT_MS,
  );
});
