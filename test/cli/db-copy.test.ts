import { createContextValues } from '@connectrpc/connect';
import { sql } from 'kysely';
import { pino } from 'pino';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createAccount } from '../../src/accounts/account/create-account.js';
import { systemClock } from '../../src/base/clock.js';
import { systemIds } from '../../src/base/ids.js';
import { importCatalog } from '../../src/catalog/importing/import.js';
import { operatorOf } from '../../src/cli/support/operator.js';
import { createByway } from '../../src/client/index.js';
import { compose } from '../../src/compose/compose.js';
import type { Gateway } from '../../src/compose/gateway.js';
import { readConfig } from '../../src/config/config.js';
import { createKey } from '../../src/identity/create-key.js';
import { createUpstream } from '../../src/providers/index.js';
import { callerKey, NOBODY } from '../../src/rpc/caller.js';
import { LASTING } from '../../src/store/ledger/ledger-store.js';
import { tableNames } from '../../src/store/maintenance/table-pages.js';
import { openDatabase } from '../../src/store/open.js';
import { REVISION_SCOPES } from '../../src/store/schema/schema.js';
import { entry, entryIds, insertEntries } from '../store/rows.js';
import { NOW, openLedgerStores, PAYER, sharedCharge, unsettledGeneration } from '../store/spending.js';
import { buildByway, documentOf, emptyDataDir, inProcess } from '../support/byway.js';
import { testCatalog } from '../support/catalog.js';
import { startChild } from '../support/child-process.js';
import {
  type DatabaseKind,
  emptyDatabaseUrl,
  openDuringTest,
  optionsFor,
  usualKind,
} from '../support/database.js';
import { dumpDatabase } from '../support/dump.js';

const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');
/** From what to what; those with PostgreSQL in them where the test run is on it. */
const PAIRS: readonly (readonly [from: DatabaseKind, to: DatabaseKind])[] =
  usualKind() === 'sqlite'
    ? [['sqlite', 'sqlite']]
    : [
        ['sqlite', 'postgres'],
        ['postgres', 'sqlite'],
        ['postgres', 'postgres'],
      ];

const WRITING_PROCESS = new URL('../store/writing-process.ts', import.meta.url);

/** More than a page of a table, in an order other than that of the key. */
const ENTRIES = 1203;

beforeAll(buildByway, 180_000);

describe.each(PAIRS)('byway db copy from %s to %s', (from, to) => {
  it('moves a whole installation: the same keys are served, credentials open, every sum is the same', async () => {
    const source = await installation(await emptyDatabaseUrl(from));
    const target = await migrated(to);
    const ended = await copy(source.url, target.url);
    expect([ended.code, ended.stderr]).toEqual([0, '']);

    const { tables } = documentOf(ended);
    expect(tables.map(({ table }: { table: string }) => table)).toEqual(tableNames());
    const rowsOf = (name: string) => tables.find(({ table }: { table: string }) => table === name);
    expect(rowsOf('ledger_entry')).toMatchObject({
      rows: ENTRIES + 2,
      sums_nano_usd: { amount_nano_usd: source.ledgerSum },
    });
    expect(rowsOf('deleted_name')).toMatchObject({ rows: 1 });
    expect(rowsOf('reservation')).toMatchObject({ rows: 1, sums_nano_usd: { byok_nano_usd: '10' } });
    expect(await dump(target.url)).toBe(await dump(source.url));
    expect(await inProcess(['db', 'check'], target.env)).toMatchObject({ code: 0, stderr: '' });

    const { authenticator, transport, close } = await gatewayOn(target.env);
    const principal = await authenticator.authenticate(`Bearer ${source.apiKey}`, systemClock.now());
    expect(principal).toMatchObject({ kind: 'api_key', accountId: source.accountId });
    const contextValues = createContextValues().set(callerKey, source.operator);
    const byok = createByway(transport).byok;
    expect(await byok.test({ id: source.byokId }, { contextValues })).toMatchObject({ data: { ok: true } });
    await close();
  }, 60_000);

  it('refuses a target that is not empty, not migrated or not there, and writes nothing', async () => {
    const source = await migrated(from);
    const used = await migrated(to);
    const database = await openDuringTest(used.url);
    await database.transact([], (tx) => tx.insertInto('ledger_entry').values(entry('a')).execute());
    const before = await dumpDatabase(database);
    const refused = (message: string) => ({ code: 1, stderr: `byway: ${message}\n` });
    expect(await copy(source.url, used.url, [])).toMatchObject(
      refused('the target: is not empty (ledger_entry has rows)'),
    );
    expect(await dumpDatabase(database)).toBe(before);
    const counters = await database.query.selectFrom('revision').selectAll().execute();
    expect(counters).toHaveLength(REVISION_SCOPES.length);
    const { code, stderr } = await copy(source.url, await emptyDatabaseUrl(to), []);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^byway: the target: .*"byway db migrate" (makes one|applies it)\n$/),
    ]);
  });

  it('refuses a source that is not there', async () => {
    const { url } = await migrated(to);
    const { code, stderr } = await copy(await emptyDatabaseUrl(from), url, []);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^byway: the source: .*"byway db migrate"/)]);
  });

  it('stores nothing when the source is changed while it is copied', async () => {
    const source = await migrated(from);
    const target = await migrated(to);
    const [reading, watching] = [await openDuringTest(source.url), await openDuringTest(target.url)];
    await insertEntries(
      reading,
      Array.from({ length: 2 * ENTRIES }, (_, index) => entry(`id-${index}`)),
    );
    const writing = startChild(WRITING_PROCESS, source.url, 'late', '1000000');
    await vi.waitFor(async () => expect(await entryIds(reading)).toContain('late0'), { timeout: 20_000 });
    const copying = copy(source.url, target.url, []);
    const message = 'the source: was changed while it was copied; stop every gateway on it first';
    expect(await copying).toMatchObject({ code: 1, stderr: `byway: ${message}\n` });
    writing.process.kill();
    const { rows } = await sql`select 1 from ledger_entry`.execute(watching.query);
    expect(rows).toEqual([]);
  }, 60_000);
});

describe('byway db copy', () => {
  it.each([
    ['mysql://u:hunter2@h/d', '--from must have the form sqlite:PATH or postgres://'],
    ['postgres://u:hunter2@[/d', '--from'],
    ['postgres://u:hunter2@127.0.0.1:1/d', 'the source: nothing listens at 127.0.0.1:1'],
  ])('reports what is wrong with %s and never prints a password', async (url, message) => {
    const { code, stdout, stderr } = await copy(url, 'sqlite:/nowhere/byway.db', []);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`byway: ${message}`);
    expect(stdout + stderr).not.toContain('hunter2');
  });

  it('prints every table with its rows, a digest and its sums', async () => {
    const [source, target] = [await migrated('sqlite'), await migrated('sqlite')];
    await insertEntries(await openDuringTest(source.url), [entry('a', { amount_nano_usd: 7n })]);
    const { stdout } = await copy(source.url, target.url, []);
    expect(stdout).toMatch(/^table +rows +digest +sums in nano-USD$/m);
    expect(stdout).toMatch(/^ledger_entry +1 +[0-9a-f]{12} +amount_nano_usd 7$/m);
  });
});

function copy(from: string, to: string, options = ['--json']) {
  return inProcess([...options, 'db', 'copy', '--from', from, '--to', to], {});
}

/** The URL of a migrated database that holds nothing, and the environment of a gateway on it. */
async function migrated(kind: DatabaseKind) {
  const url = await emptyDatabaseUrl(kind);
  await (await openDatabase(url, optionsFor(url))).close();
  return { url, env: environment(url) };
}

function environment(url: string) {
  return { BYWAY_DATA_DIR: emptyDataDir(), BYWAY_DATABASE_URL: url, BYWAY_MASTER_KEY: MASTER_KEY };
}

function gatewayOn(env: Readonly<Record<string, string>>): Promise<Gateway> {
  return compose(readConfig(env), {
    clock: systemClock,
    ids: systemIds,
    log: pino({ level: 'silent' }),
    upstream: createUpstream({ clock: systemClock, allowPrivateUpstreams: false }),
  });
}

async function dump(url: string): Promise<string> {
  const database = await openDatabase(url, optionsFor(url));
  // When a migration was applied is the one thing that is each database's own.
  const text = (await dumpDatabase(database)).replace(/"applied_at":\d+/g, '');
  await database.close();
  return text;
}

/** An account with keys, a stored credential and a deleted one, a charged request, one in flight, and a long history. */
async function installation(url: string) {
  const env = environment(url);
  const gateway = await gatewayOn(env);
  const { stores } = gateway;
  const shared = { clock: systemClock, ids: systemIds };
  await importCatalog(stores.catalog, JSON.stringify(testCatalog()), { merge: false });
  const wanted = { name: 'Ünïcode \u{1F600}', plan: 'pay_as_you_go' } as const;
  const { account, workspace } = await createAccount({ store: stores.accounts, ...shared }, wanted);
  const owner = operatorOf(account);
  const { secret } = await createKey({ store: stores.keys, usage: stores.usage, ...shared }, owner, {
    name: 'K',
    limitNanoUsd: 10n ** 18n,
    limitReset: null,
    includeByokInLimit: false,
    endUserLimitNanoUsd: null,
    endUserLimitReset: null,
    endUserRequired: false,
    cacheTtl: null,
    expiresAt: null,
    workspaceId: null,
    creatorUserId: null,
  });
  const operator = { ...NOBODY, principal: owner };
  const contextValues = createContextValues().set(callerKey, operator);
  const { byok } = createByway(gateway.transport);
  const stored = { provider: 'demo', key: 'demo-my-own-key' };
  const { data } = await byok.create(stored, { contextValues });
  const gone = await byok.create({ ...stored, name: 'Gone' }, { contextValues });
  await byok.delete({ id: gone.data?.id ?? '' }, { contextValues });
  const payer = { ...PAYER, accountId: account.id, workspaceId: workspace.id };
  await stores.generations.settle(unsettledGeneration('gen-shared', payer), sharedCharge(7n));
  await gateway.close();
  const { database, reserveStored } = openLedgerStores(await openDatabase(url, optionsFor(url)));
  await insertEntries(
    database,
    Array.from({ length: ENTRIES }, (_, index) => entry(`${(index * 7919) % ENTRIES}`, TOP_UP)),
  );
  await insertEntries(database, [entry('huge', { ...TOP_UP, amount_nano_usd: 2n ** 53n + 1n })]);
  await reserveStored('batch-open', LASTING, NOW, payer);
  await database.close();
  return {
    url,
    operator,
    accountId: account.id,
    apiKey: secret,
    byokId: data?.id ?? '',
    ledgerSum: String(BigInt(ENTRIES) + 2n ** 53n + 8n),
  };
}

const TOP_UP = { kind: 'top_up' } as const;
