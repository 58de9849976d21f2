import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { inProcess } from '../../support/byway.js';
import { openDuringTest, temporaryDatabaseUrl } from '../../support/database.js';
import { guardrail, setLimit, workspaceBudget } from '../../support/limits.js';
import {
  COST_USD,
  expectSettled,
  forAccount,
  keyRecord,
  type MoneyGateway,
  moneyCatalog,
  parallel,
  startMoneyGateway,
} from '../../support/money.js';
import { hasPostgres } from '../../support/postgres/postgres-access.js';
import { type Answer, bodyOf, type Call, caller, type Row, recordOf } from '../../support/rest.js';
import {
  expectClean,
  expectRecorded,
  firstServing,
  MODELS,
  reservations,
  stormCatalog,
} from '../money/reserved.js';
import { type ServingProcess, serveFrom } from '../serving.js';
import { storm } from './storm.js';

const TIMEOUT_MS = 180_000;

const TEN = { limit_usd: 10 * COST_USD };
const RICH = 10n ** 12n;

type Setting = readonly [set: (gateway: MoneyGateway) => Promise<unknown>, reason: string, credits: bigint];

const SETTINGS: Readonly<Record<string, Setting>> = {
  'a key limit': [(gateway) => setLimit(gateway, { limit: 10 * COST_USD }), 'key_limit_exceeded', RICH],
  'a guardrail': [(gateway) => guardrail(gateway, TEN, 'key'), 'guardrail_budget_exceeded', RICH],
  'a workspace budget': [
    (gateway) => workspaceBudget(gateway, 'monthly', TEN),
    'workspace_budget_exceeded',
    RICH,
  ],
  credits: [async () => undefined, 'insufficient_credits', 100_000_000n],
};

describe.runIf(hasPostgres())('processes that share one PostgreSQL database', () => {
  it.each([2, 4])(
    '%i processes: 160 requests at once against a limit of any kind for 10, and exactly 10 are served',
    async (count) => {
      const databaseUrl = await temporaryDatabaseUrl('postgres');
      const gateway = await startMoneyGateway({ env: { BYWAY_DATABASE_URL: databaseUrl } });
      const served = { databaseUrl, catalog: moneyCatalog() };
      const processes = await Promise.all(
        Array.from({ length: count }, () => serveFrom(gateway.dataDir, served)),
      );
      for (const [name, [set, reason, credits]] of Object.entries(SETTINGS)) {
        const account = forAccount(gateway, await gateway.addAccount({ credits }));
        await set(account);
        const block = { status: name === 'credits' ? 402 : 403, reason };
        const counts = await Promise.all(
          processes.map((process) =>
            parallel(160 / count, () => chat(caller(process, account.apiKey), 'test/slow'), block),
          ),
        );
        expect([name, counts.reduce((sum, each) => sum + each)]).toEqual([name, 10]);
        expect(await keyRecord(account)).toMatchObject({ usage: 10 * COST_USD });
        await expectSettled(gateway);
      }
    },
    TIMEOUT_MS,
  );

  it(
    'one is killed among 500 requests: every answer is recorded once, nothing stays reserved, the other keeps serving',
    async () => {
      const url = await temporaryDatabaseUrl('postgres');
      const { dataDir, databaseUrl, serving: doomed, apiKey } = await firstServing(url);
      const other = await serveFrom(dataDir, { databaseUrl, catalog: stormCatalog() });
      const database = await openDuringTest(databaseUrl);
      let killed: Promise<void> | undefined;
      const load = { requests: 250, concurrency: 10, models: MODELS };
      const [broken, calm] = await Promise.all([
        storm(doomed.rest, apiKey, {
          ...load,
          afterAnswer: (count) => {
            if (count >= 100) killed ??= sleep(Math.random() * 20).then(() => doomed.kill());
          },
        }),
        storm(other.rest, apiKey, load),
      ]);
      await killed;
      expect([broken.refused, calm.refused]).toEqual([[], []]);
      expect(calm.begun).toHaveLength(250);
      await vi.waitFor(async () => expect(await reservations(database)).toEqual([]), { timeout: 15_000 });
      await expectRecorded(database, [...broken.whole, ...calm.whole]);
      await expectClean(dataDir, databaseUrl);
      expect((await chat(caller(other, apiKey), 'test/m1')).status).toBe(200);
    },
    TIMEOUT_MS,
  );

  it(
    'a change takes effect at once in its process, and within a second in the other',
    async () => {
      const url = await temporaryDatabaseUrl('postgres');
      const { dataDir, databaseUrl, serving: here, apiKey, hash, managementKey } = await firstServing(url);
      const there = await serveFrom(dataDir, { databaseUrl, catalog: stormCatalog() });
      const manage = caller(here, managementKey);
      const use = (process: ServingProcess) => chat(caller(process, apiKey), 'test/m1');
      const rules = `/guardrails/${(await defaultWorkspace(manage)).default_guardrail_id}`;
      const byok = `/byok/${(await firstOf(manage, '/byok')).id}`;
      const key = `/keys/${hash}`;
      const changes: readonly (readonly [path: string, change: object, undo: object, Check])[] = [
        [rules, { ignored_models: ['test/m1'] }, { ignored_models: null }, isRefused],
        ['/preferences', { ignored_providers: ['a', 'b', 'c'] }, { ignored_providers: null }, isRefused],
        [byok, { disabled: true }, { disabled: false }, isShared],
        [key, { disabled: true }, { disabled: false }, isRefused],
        [key, { limit: 0 }, { limit: 5 }, isRefused],
      ];
      for (const [path, change, undo, hasChanged] of changes) {
        for (const [body, expected] of [
          [change, true],
          [undo, false],
        ] as const) {
          expect([body, (await manage('PATCH', path, body)).status]).toEqual([body, 200]);
          expect([body, hasChanged(await use(here))]).toEqual([body, expected]);
          await withinASecond(async () =>
            expect([body, hasChanged(await use(there))]).toEqual([body, expected]),
          );
        }
      }
      await importWithout('test/m1', dataDir, databaseUrl);
      for (const process of [here, there]) {
        await withinASecond(async () => expect(isRefused(await use(process))).toBe(true));
      }
      expect((await chat(caller(there, apiKey), 'test/m2')).status).toBe(200);
      expect((await manage('DELETE', key)).status).toBeLessThan(300);
      expect((await chat(caller(here, apiKey), 'test/m2')).status).toBe(401);
      await withinASecond(async () =>
        expect((await chat(caller(there, apiKey), 'test/m2')).status).toBe(401),
      );
    },
    TIMEOUT_MS,
  );
});

type Check = (answer: Answer) => boolean;

const isRefused: Check = ({ status }) => status >= 400;

const isShared: Check = (answer) => (bodyOf(answer).usage as Row).is_byok === false;

function withinASecond(check: () => Promise<void>): Promise<void> {
  return vi.waitFor(check, { timeout: 1_000, interval: 10 });
}

/** Replaces the current catalogue by one without the model. */
async function importWithout(model: string, dataDir: string, databaseUrl: string): Promise<void> {
  const { providers, models } = stormCatalog();
  const file = join(dataDir, 'without.json');
  writeFileSync(
    file,
    JSON.stringify({ providers, models: models.filter((one) => Reflect.get(one, 'id') !== model) }),
  );
  const env = { BYWAY_DATA_DIR: dataDir, BYWAY_DATABASE_URL: databaseUrl };
  const { code, stderr } = await inProcess(['catalog', 'import', file], env);
  expect([code, stderr]).toEqual([0, '']);
}

function chat(use: Call, model: string): Promise<Answer> {
  return use('POST', '/chat/completions', { model, messages: [{ role: 'user', content: 'Hello there' }] });
}

async function firstOf(manage: Call, path: string): Promise<Row> {
  const [first] = bodyOf(await manage('GET', path)).data as Row[];
  if (first === undefined) throw new Error(`there is nothing at ${path}`);
  return first;
}

async function defaultWorkspace(manage: Call): Promise<Row> {
  const { id } = await firstOf(manage, '/workspaces');
  return recordOf(await manage('GET', `/workspaces/${id}`));
}
