/** Which indexes the statements of lists use, on each database. */
import { CompiledQuery as Compiled, type CompiledQuery } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ActivityRange, DEFAULT_GROUPS } from '../../src/accounts/activity.js';
import { systemClock } from '../../src/base/clock.js';
import { systemIds } from '../../src/base/ids.js';
import type { GenerationFilter } from '../../src/inference/ports/generation.js';
import type { Database } from '../../src/store/database/database.js';
import { openDatabase } from '../../src/store/open.js';
import { createStores, type Stores } from '../../src/store/stores.js';
import {
  DATABASE_KINDS,
  makeDatabase,
  optionsFor,
  type TestDatabase,
  withDatabase,
} from '../support/database.js';
import { ANY_GENERATION } from '../support/generations.js';
import { addGenerations } from '../support/many-generations.js';
import { isScan, isSearch, planOf, recordingOn } from './plans.js';
import { openLedgerStores, sharedCharge, unsettledGeneration } from './spending.js';

const PAGE = { offset: 20, limit: 50 };
const FIRST = { ...PAGE, after: null };
const NEXT = { offset: 0, limit: 50, after: { createdAt: 1, id: 'g' } };
const DAYS = { fromMs: null, beforeMs: null, apiKeyHash: null, workspaceId: null, groupBy: DEFAULT_GROUPS };
const TIMES = { from: 1, to: 2 };
const PAYER = { accountId: 'a', workspaceId: 'w', apiKeyHash: 'k', ownerUserId: 'u' };

/** Enough that an export by a filter without an index has a second part. */
const EXPORTED = 10_250;

async function exported({ generations }: Stores, filter: GenerationFilter): Promise<void> {
  let count = 0;
  for await (const page of generations.export('a', filter)) count += page.length;
  expect(count).toBeGreaterThan(0);
}

/** Of 30 days, so that three of them end in the month that is next. */
const MONTH_MS = 30 * 86_400_000;

type Read = readonly [name: string, read: (stores: Stores) => Promise<unknown>];

/** Every list, with its filters. */
const LISTS: readonly Read[] = [
  ['activity', ({ activity }) => activity.readActivity('a', { ...DAYS, ...PAGE })],
  [
    'activity of days',
    ({ activity }) => activity.readActivity('a', { ...DAYS, fromMs: 1, beforeMs: 2, ...PAGE }),
  ],
  ['activity by date', ({ activity }) => activity.readActivity('a', { ...DAYS, groupBy: ['date'], ...PAGE })],
  [
    'activity by workspace',
    ({ activity }) => activity.readActivity('a', { ...DAYS, groupBy: ['date', 'workspace'], ...PAGE }),
  ],
  [
    'activity by everything else',
    ({ activity }) =>
      activity.readActivity('a', { ...DAYS, groupBy: ['hour', 'user', 'api', 'model'], ...PAGE }),
  ],
  ['activity of a key', ({ activity }) => activity.readActivity('a', { ...DAYS, apiKeyHash: 'k', ...PAGE })],
  [
    'activity of a workspace',
    ({ activity }) => activity.readActivity('a', { ...DAYS, workspaceId: 'w', ...PAGE }),
  ],
  ['generations', ({ generations }) => generations.list('a', ANY_GENERATION, FIRST)],
  ['generations behind a cursor', ({ generations }) => generations.list('a', ANY_GENERATION, NEXT)],
  [
    'generations of a time',
    ({ generations }) => generations.list('a', { ...ANY_GENERATION, ...TIMES }, FIRST),
  ],
  [
    'generations of a time behind a cursor',
    ({ generations }) => generations.list('a', { ...ANY_GENERATION, ...TIMES }, NEXT),
  ],
  [
    'generations of a key',
    ({ generations }) => generations.list('a', { ...ANY_GENERATION, apiKeyHashes: ['k'] }, FIRST),
  ],
  [
    'generations of a key behind a cursor',
    ({ generations }) => generations.list('a', { ...ANY_GENERATION, apiKeyHashes: ['k'] }, NEXT),
  ],
  [
    'generations of several keys',
    ({ generations }) => generations.list('a', { ...ANY_GENERATION, apiKeyHashes: ['k', 'l'] }, FIRST),
  ],
  [
    'generations of a workspace',
    ({ generations }) => generations.list('a', { ...ANY_GENERATION, workspaceIds: ['w'] }, FIRST),
  ],
  [
    'generations by everything else',
    ({ generations }) =>
      generations.list(
        'a',
        {
          ...ANY_GENERATION,
          userIds: ['u'],
          models: ['m'],
          providers: ['p'],
          apis: ['chat'],
          statuses: ['ok'],
          reasons: ['r'],
          sessionIds: ['s'],
          isByok: true,
        },
        NEXT,
      ),
  ],
  [
    'API keys',
    ({ keys }) =>
      keys.listKeys(
        { accountId: 'a', clientId: null },
        { includeDisabled: true, workspaceId: null, ...PAGE },
      ),
  ],
  [
    'API keys of a client in a workspace',
    ({ keys }) =>
      keys.listKeys({ accountId: 'a', clientId: 'c' }, { includeDisabled: false, workspaceId: 'w', ...PAGE }),
  ],
  ['provider keys', ({ byok }) => byok.list('a', { workspaceId: null, provider: null, ...PAGE })],
  ['provider keys of a provider', ({ byok }) => byok.list('a', { workspaceId: 'w', provider: 'p', ...PAGE })],
  ['workspaces', ({ workspaces }) => workspaces.listWorkspaces('a', PAGE)],
  ['guardrails', ({ guardrails }) => guardrails.listGuardrails('a', { workspaceId: null, ...PAGE })],
  ['clients', ({ clients }) => clients.listClients('a', PAGE)],
  ['batches', ({ batches }) => batches.list('a', PAGE)],
];

/** Every export, which reads on only where there are records. */
const EXPORTS: readonly Read[] = [
  ['an export', (stores) => exported(stores, ANY_GENERATION)],
  ['an export of a time', (stores) => exported(stores, { ...ANY_GENERATION, from: 0, to: Date.now() + 1 })],
  ['an export of a key', (stores) => exported(stores, { ...ANY_GENERATION, apiKeyHashes: ['k'] })],
  [
    'an export by a filter without an index',
    (stores) => exported(stores, { ...ANY_GENERATION, models: ['test/m1'] }),
  ],
];

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  /** A database with months for several tests, which only read it. */
  function readOnly(fill: (database: Database) => Promise<unknown>): () => Database {
    let made: TestDatabase;
    let database: Database;
    beforeAll(async () => {
      made = await makeDatabase(kind);
      database = await withMonths(await openDatabase(made.url, optionsFor(made.url)));
      await fill(database);
    });
    afterAll(async () => {
      await database.close();
      await made.remove();
    });
    return () => database;
  }

  async function expectIndexed(database: Database, read: Read[1]): Promise<void> {
    const statements: CompiledQuery[] = [];
    const recording = recordingOn(database, kind, statements);
    const stores = createStores(
      { ...database, lists: () => recording, reports: () => recording },
      { clock: systemClock, ids: systemIds },
    );
    await read(stores);
    expect(statements.length).toBeGreaterThan(1);
    for (const statement of statements) {
      const plan = await planOf(database, kind, statement);
      expect(plan.filter((line) => isScan(kind, line))).toEqual([]);
      expect(plan.filter((line) => isSearch(kind, line)).length).toBeGreaterThan(0);
    }
  }

  describe('without records', () => {
    const database = readOnly(async () => {});

    test.each(LISTS)('the list of %s reads only what an index finds for the account', (_, read) =>
      expectIndexed(database(), read),
    );
  });

  describe('with records', () => {
    const database = readOnly((one) => addGenerations(one, EXPORTED, PAYER));

    test.each(EXPORTS)('the list of %s reads only what an index finds for the account', (_, read) =>
      expectIndexed(database(), read),
    );
  });

  test('a statement without an index is noticed', async () => {
    const database = await withMonths(await withDatabase(kind));
    const statement = database.query.selectFrom('generation').selectAll().where('model', '=', 'm').compile();
    const plan = await planOf(database, kind, statement);
    expect(plan.some((line) => isScan(kind, line))).toBe(true);
  });

  test('a page of an export is found by both of its ends, without sorting', async () => {
    const database = await withDatabase(kind);
    await addGenerations(database, EXPORTED, PAYER);
    const statements: CompiledQuery[] = [];
    const reports = recordingOn(database, kind, statements);
    const stores = createStores(
      { ...database, reports: () => reports },
      { clock: systemClock, ids: systemIds },
    );
    const isByok = false;
    await exported(stores, { ...ANY_GENERATION, from: 0, to: Date.now() + 1, isByok });
    const plan = await planOf(database, kind, statements.at(-1) ?? Compiled.raw(''));
    // A merge of months, each in order, has a sort key as well.
    expect(plan.filter((line) => /(^|-> +)(Incremental )?Sort\b|TEMP B-TREE/.test(line))).toEqual([]);
    const ends = [/\(created_at, ?id\) ?>/, /\(created_at, ?id\) ?</];
    const searches = plan.filter((line) => /SEARCH|Index Cond/.test(line));
    expect(searches.length).toBeGreaterThan(0);
    for (const search of searches) for (const end of ends) expect(search).toMatch(end);
  });

  /** Of the account when workspace `w` has had so many requests. */
  async function activityPlan(window: Partial<ActivityRange>, requests: number): Promise<string[]> {
    const database = await withMonths(await withDatabase(kind));
    const generation = unsettledGeneration('g', { accountId: 'a', workspaceId: 'w', requests });
    await openLedgerStores(database).generations.settle(generation, sharedCharge(1n));
    const statements: CompiledQuery[] = [];
    const reports = recordingOn(database, kind, statements);
    const { activity } = createStores(
      { ...database, reports: () => reports },
      { clock: systemClock, ids: systemIds },
    );
    await activity.readActivity('a', { ...DAYS, ...window, ...PAGE });
    return (await Promise.all(statements.map((statement) => planOf(database, kind, statement)))).flat();
  }

  test.each([
    ['of an account', null],
    ['of a workspace that has much of the usage', 'w'],
  ])('a page of activity %s is read without sorting', async (_, workspaceId) => {
    const plan = await activityPlan({ workspaceId }, 1_000_000);
    expect(plan.filter((line) => /\bSort\b|TEMP B-TREE/.test(line))).toEqual([]);
  });

  test.each([
    ['has little of the usage', DEFAULT_GROUPS, 1],
    ['has much of the usage, in another order', ['api_key'], 1_000_000],
  ] as const)('activity of a workspace that %s is found by its days', async (_, groupBy, requests) => {
    const plan = await activityPlan({ groupBy, workspaceId: 'w' }, requests);
    // Of the page, and of the count.
    expect(plan.filter((line) => /SCAN found|CTE Scan on found/.test(line))).toHaveLength(2);
  });

  test.each([
    ['of an account', { groupBy: ['date'] }, 'workspace'],
    ['of a workspace', { groupBy: ['date'], workspaceId: 'w' }, 'workspace'],
    ['of an account by model', { groupBy: ['model'] }, 'workspace'],
    ['of an API key', { groupBy: ['date'], apiKeyHash: 'k' }, 'key'],
  ] as const)('days of activity %s are a range of an index', async (_, question, owner) => {
    const database = await withDatabase(kind);
    const statements: CompiledQuery[] = [];
    const reports = recordingOn(database, kind, statements);
    const { activity } = createStores(
      { ...database, reports: () => reports },
      { clock: systemClock, ids: systemIds },
    );
    await activity.readActivity('a', { ...DAYS, fromMs: 1, beforeMs: 2, ...question, ...PAGE });
    const plans = await Promise.all(statements.map((statement) => planOf(database, kind, statement)));
    const read = plans.filter((plan) => plan.some((line) => line.includes(DAYS_OF[owner][kind])));
    // All but the look whether the days are filled.
    expect(read).toHaveLength(statements.length - 1);
    if (kind === 'postgres' && owner === 'workspace') {
      const range =
        /Index Cond: \(\(account_id = .* AND \(workspace_id = .* AND \(reverse_day <= .* AND \(reverse_day > /;
      for (const plan of read) expect(plan.join('\n')).toMatch(range);
    }
  });
});

/** As the plans of both databases begin. */
const DAYS_OF = {
  workspace: {
    sqlite:
      'SEARCH used USING PRIMARY KEY (account_id=? AND workspace_id=? AND reverse_day>? AND reverse_day<?)',
    postgres: 'Scan using usage_daily_key on usage_daily used',
  },
  key: {
    sqlite: 'usage_rollup_api_key (account_id=? AND api_key_hash=? AND reverse_day>? AND reverse_day<?)',
    postgres: 'Scan using usage_rollup_api_key on usage_rollup',
  },
};

/** Gives the records partitions for two years, where the engine has any. */
async function withMonths(database: Database): Promise<Database> {
  for (let month = 0; month < 24; month += 3) {
    const { signal } = new AbortController();
    await database.recordPartitions?.prepare(systemClock.now() + month * MONTH_MS, signal);
  }
  return database;
}
