/** What must hold after a storm of requests, whatever happened to the processes that served it. */
import { expect } from 'vitest';
import type { Database } from '../../../src/store/database/database.js';
import { documentOf, inProcess } from '../../support/byway.js';
import { demoModel, testCatalog } from '../../support/catalog.js';
import { bodyOf, caller, type Row, recordOf } from '../../support/rest.js';
import type { Whole } from '../fleet/storm.js';
import { serveFrom, temporaryDataDir, type Version } from '../serving.js';

/** The limit of the key of `firstServing`; more than a storm costs. */
export const LIMIT_USD = 5;

/** With a BYOK key, on shared capacity, and slow enough to be interrupted. */
export const MODELS = ['test/m1', 'demo/echo', 'demo/slow'];

export function stormCatalog() {
  const { providers, models } = testCatalog();
  const slow = demoModel('demo/slow', [{ provider: 'demo', upstream_model_id: 'slow-5' }]);
  return { providers, models: [...models, slow] };
}

/** Serves a data directory with an account that uses BYOK for one of the models, and an API key with a limit. */
export async function firstServing(databaseUrl?: string, version: Version = {}) {
  const dataDir = temporaryDataDir();
  const options = { catalog: stormCatalog(), version };
  const serving = await serveFrom(dataDir, { ...options, ...(databaseUrl && { databaseUrl }) });
  const { managementKey } = await serving.keys;
  const manage = caller(serving, managementKey);
  recordOf(await manage('POST', '/byok', { provider: 'a', key: 'demo-echo-0123456789', is_required: true }));
  const limited = { name: 'limited', limit: LIMIT_USD, include_byok_in_limit: true };
  const created = bodyOf(await manage('POST', '/keys', limited));
  const { hash } = created.data as { hash: string };
  return {
    dataDir,
    databaseUrl: serving.databaseUrl,
    serving,
    apiKey: String(created.key),
    hash,
    managementKey,
  };
}

/** All records by their generation, in the form of `Whole`. */
export async function recordsOf({ query }: Database): Promise<ReadonlyMap<string, Whole>> {
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

/** Each generation is charged once; that both agree is checked by `db check`. */
async function chargedTwice({ query }: Database): Promise<unknown[]> {
  return query
    .selectFrom('ledger_entry')
    .select(({ fn }) => ['generation_id', 'kind', fn.countAll<number>().as('count')])
    .where('generation_id', 'is not', null)
    .groupBy(['generation_id', 'kind'])
    .having(({ fn }) => fn.countAll(), '>', 1)
    .execute();
}

/** `byway db check` finds nothing. */
export async function expectClean(dataDir: string, databaseUrl: string): Promise<void> {
  const env = { BYWAY_DATA_DIR: dataDir, BYWAY_DATABASE_URL: databaseUrl };
  const ended = await inProcess(['db', 'check', '--json'], env);
  const failed = documentOf(ended).checks.filter(({ status }: Row) => status !== 'ok');
  expect([ended.code, failed]).toEqual([0, []]);
}

/** The reservations, in the rows and in the totals. */
export async function reservations({ query }: Database) {
  const open = await query.selectFrom('reservation').select('id').execute();
  const recorded = await query
    .selectFrom('spend_total')
    .select('subject')
    .where('reserved_sum_nano_usd', '!=', 0n)
    .execute();
  return [...open, ...recorded];
}

/** Expects that every answer is recorded once, with the same usage. */
export async function expectRecorded(database: Database, wholes: readonly Whole[]): Promise<void> {
  const records = await recordsOf(database);
  expect(wholes.map(({ generationId }) => records.get(generationId))).toEqual(wholes);
  expect(await chargedTwice(database)).toEqual([]);
}
