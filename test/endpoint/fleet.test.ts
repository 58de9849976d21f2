import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { openDuringTest, temporaryDatabaseUrl } from '../support/database.js';
import { guardrail, setLimit, workspaceBudget } from '../support/limits.js';
import {
  COST_USD,
  expectSettled,
  forAccount,
  keyRecord,
  type MoneyGateway,
  moneyCatalog,
  parallel,
  startMoneyGateway,
} from '../support/money.js';
import { hasPostgres } from '../support/postgres-access.js';
import { type Answer, bodyOf, type Call, caller, type Row, recordOf } from '../support/rest.js';
import { expectClean, expectKept, firstServing, MODELS, reservations, stormCatalog } from './kept.js';
import { type ServingProcess, serveFrom } from './serving.js';
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
    '%i of them: 160 requests at once against a limit for 10, of whichever kind, and exactly 10 are served (R1, R22)',
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
    'one is killed among 500 requests: every answer is kept once, nothing stays reserved, the other goes on (R4, R18)',
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
      await expectKept(database, [...broken.whole, ...calm.whole]);
      await expectClean(dataDir, databaseUrl);
      expect((await chat(caller(other, apiKey), 'test/m1')).status).toBe(200);
    },
    TIMEOUT_MS,
  );

  it(
    'what one of them changes holds there at once, and in the other within a second (R34)',
    async () => {
      const url = await temporaryDatabaseUrl('postgres');
      const { dataDir, databaseUrl, serving: here, apiKey, hash, managementKey } = await firstServing(url);
      const there = await serveFrom(dataDir, { databaseUrl, catalog: stormCatalog() });
      const manage = caller(here, managementKey);
      const use = (process: ServingProcess) => chat(caller(process, apiKey), 'test/m1');
      const workspace = await defaultWorkspace(manage);
      const byok = String((await firstOf(manage, '/byok')).id);
      const rules = `/guardrails/${workspace.default_guardrail_id}`;
      const changes: readonly (readonly [Parameters<Call>, Parameters<Call>, Check])[] = [
        [
          ['PATCH', rules, { ignored_models: ['test/m1'] }],
          ['PATCH', rules, { ignored_models: null }],
          refused,
        ],
        [
          ['PATCH', '/preferences', { ignored_providers: ['a', 'b', 'c'] }],
          ['PATCH', '/preferences', { ignored_providers: null }],
          refused,
        ],
        [
          ['PATCH', `/byok/${byok}`, { disabled: true }],
          ['PATCH', `/byok/${byok}`, { disabled: false }],
          shared,
        ],
        [
          ['PATCH', `/keys/${hash}`, { disabled: true }],
          ['PATCH', `/keys/${hash}`, { disabled: false }],
          refused,
        ],
        [['PATCH', `/keys/${hash}`, { limit: 0 }], ['PATCH', `/keys/${hash}`, { limit: 5 }], refused],
        [['DELETE', `/keys/${hash}`], ['GET', '/keys'], refused],
      ];
      for (const [change, undo, hasChanged] of changes) {
        expect([change, hasChanged(await use(here)), hasChanged(await use(there))]).toEqual([
          change,
          false,
          false,
        ]);
        expect((await manage(...change)).status).toBeLessThan(300);
        expect([change, hasChanged(await use(here))]).toEqual([change, true]);
        await vi.waitFor(async () => expect([change, hasChanged(await use(there))]).toEqual([change, true]), {
          timeout: 1_000,
          interval: 10,
        });
        await manage(...undo);
        if (change[0] === 'DELETE') break;
        await vi.waitFor(async () => expect(hasChanged(await use(there))).toBe(false), { timeout: 1_000 });
      }
    },
    TIMEOUT_MS,
  );
});

type Check = (answer: Answer) => boolean;

const refused: Check = ({ status }) => status >= 400;

const shared: Check = (answer) => (bodyOf(answer).usage as Row).is_byok === false;

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
