import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createContextValues } from '@connectrpc/connect';
import { Client } from 'pg';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createAccount } from '../../src/accounts/account/create-account.js';
import { systemClock } from '../../src/base/clock.js';
import { systemIds } from '../../src/base/ids.js';
import { importCatalog } from '../../src/catalog/importing/import.js';
import { operatorOf } from '../../src/cli/support/operator.js';
import { createByway } from '../../src/client/index.js';
import { compose } from '../../src/compose/compose.js';
import { readConfig } from '../../src/config/config.js';
import { createUpstream } from '../../src/providers/index.js';
import { callerKey, NOBODY } from '../../src/rpc/caller.js';
import { LASTING } from '../../src/store/ledger/ledger-store.js';
import { MIGRATIONS } from '../../src/store/migrations/index.js';
import type { Migration } from '../../src/store/migrations/migration.js';
import { openDatabase } from '../../src/store/open.js';
import {
  byokCharge,
  NOW,
  openLedgerStores,
  PAYER,
  sharedCharge,
  unsettledGeneration,
} from '../store/spending.js';
import { documentOf, emptyInstallation, inProcess, withoutRandomness } from '../support/byway.js';
import { testCatalog } from '../support/catalog.js';
import { usualKind } from '../support/database.js';
import { openSqliteFile } from '../support/sqlite.js';

/** Damage that no statement of the gateway can cause, and the message about it. */
const DAMAGE = {
  sqlite: {
    sql: `PRAGMA writable_schema = ON;
       UPDATE sqlite_schema SET sql = replace(sql, '"owner_user_id" text not null', '"owner_user_id" text')
         WHERE name = 'account';
       PRAGMA writable_schema = RESET;
       UPDATE account SET owner_user_id = NULL;
       PRAGMA writable_schema = ON;
       UPDATE sqlite_schema SET sql = replace(sql, '"owner_user_id" text', '"owner_user_id" text not null')
         WHERE name = 'account'`,
    failure: 'NULL value in account.owner_user_id',
    dangling: 'row 1 of management_key refers to a missing account',
  },
  postgres: {
    sql: "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'client_list'::regclass",
    failure: 'the index client_list is not valid',
    dangling: '1 rows of management_key refer to a missing account',
  },
}[usualKind()];

describe('byway db stats', () => {
  it('refuses a database that is not up to date, and does not make one', async () => {
    const env = await emptyInstallation();
    expect(await inProcess(['db', 'stats'], env)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'byway: BYWAY_DATABASE_URL: the database is not up to date; "byway db migrate" brings it there\n',
    });
  });
});

describe('byway db check', () => {
  it('finds nothing in a sound database', async () => {
    const { env } = await filled();
    expect(await check(env)).toEqual({ code: 0, failures: [] });
  });

  it.each<[string, string, string[]]>([
    ['a damaged index or table', DAMAGE.sql, [`integrity: ${DAMAGE.failure}`]],
    [
      'references to nothing',
      "UPDATE management_key SET account_id = 'gone'",
      [`integrity: ${DAMAGE.dangling}`],
    ],
    [
      'an account without a default workspace',
      'UPDATE workspace SET is_default = 0',
      ['workspaces: account <uuid> has 0 default workspaces instead of one'],
    ],
    [
      'a workspace without its guardrail',
      "UPDATE workspace SET default_guardrail_id = 'gone'",
      ['workspaces: workspace <uuid> has no default guardrail'],
    ],
    [
      'gaps in a section',
      'UPDATE byok_key SET sort_order = sort_order * 2',
      ['sections: the prioritized keys of a in workspace <uuid> are not at 0..1'],
    ],
    [
      'credentials that were changed or moved',
      `UPDATE byok_key SET ciphertext = (SELECT ciphertext FROM shared_credential) WHERE sort_order = 0;
       UPDATE shared_credential SET master_key_id = 'other'`,
      ['credentials: BYOK key <uuid>: damaged', 'credentials: shared credential of b: unknown_master_key'],
    ],
    [
      'a catalogue that cannot be read',
      `UPDATE catalog_model SET document_json = '{"id":"test/m2"}' WHERE id = 'test/m2'`,
      ['catalogue: model test/m2.name: is required'],
    ],
    [
      'a catalogue whose parts do not fit',
      "DELETE FROM catalog_provider WHERE slug = 'demo'",
      ['catalogue: models[0].endpoints[0].provider: '],
    ],
    [
      'a document that is no JSON',
      "UPDATE catalog_provider SET document_json = '{'",
      ['catalogue: a stored '],
    ],
    [
      'totals that were changed',
      `UPDATE spend_total SET credit_nano_usd = credit_nano_usd + 1 WHERE subject = 'key/hash';
       UPDATE spend_total SET monthly_byok_nano_usd = 0, daily_start = 0 WHERE subject LIKE 'member/%'`,
      [
        'totals: key/hash: total credit is 8 instead of 7',
        'totals: member/<uuid>/user_1: monthly BYOK is 0 instead of 9',
        'totals: member/<uuid>/user_1: daily start is 0 instead of ',
      ],
    ],
    [
      'totals that are lost, and some of nothing',
      `DELETE FROM spend_total WHERE subject LIKE 'workspace/%';
       UPDATE spend_total SET subject = 'key/other' WHERE subject = 'key/hash'`,
      [
        'totals: workspace/<uuid>: has no totals',
        'totals: key/hash: has no totals',
        'totals: key/other: total BYOK is 9 instead of 0',
      ],
    ],
    [
      'reservations that are not in the totals',
      'UPDATE reservation SET sum_nano_usd = 11',
      [
        'totals: account/<uuid>: reserved sum is 10 instead of 11',
        'totals: key/hash: reserved sum is 10 instead of 11',
      ],
    ],
    [
      'a charge that is lost',
      "DELETE FROM ledger_entry WHERE kind = 'credit_spend'",
      [
        'totals: key/hash: total credit is 7 instead of 0',
        'charges: the ledger does not say what generation gen-shared says of its cost',
      ],
    ],
    [
      'a generation that says another cost than the ledger',
      "UPDATE generation SET byok_fee_nano_usd = 1 WHERE id = 'gen-byok'",
      ['charges: the ledger does not say what generation gen-byok says of its cost', 'usage: usage of '],
    ],
    [
      'a charge of no generation',
      "DELETE FROM generation WHERE id = 'gen-shared'",
      ['charges: generation gen-shared is charged and not recorded', 'usage: usage of '],
    ],
    [
      'rollups that were changed',
      'UPDATE usage_rollup SET tokens_prompt = tokens_prompt + 1',
      ['usage: usage of '],
    ],
  ])('finds %s', async (_, sql, expected) => {
    const { env, databaseUrl } = await filled();
    await tamper(databaseUrl, sql);
    const { code, failures } = await check(env);
    expect(code).toBe(1);
    for (const failure of expected) {
      expect(failures).toContainEqual(expect.stringContaining(failure));
    }
    const names = new Set(expected.map((failure) => failure.split(':')[0]));
    expect(new Set(failures.map((failure) => failure.split(':')[0]))).toEqual(names);
  });

  it('says that the master key is missing, and creates none', async () => {
    const { env, dataDir } = await filled();
    rmSync(join(dataDir, 'master.key'));
    expect(await check(env)).toEqual({
      code: 1,
      failures: [expect.stringMatching(/^credentials: .*master\.key is missing$/)],
    });
    expect(existsSync(join(dataDir, 'master.key'))).toBe(false);
  });

  it('neither creates nor migrates a database', async () => {
    const env = await emptyInstallation();
    const [first, ...later] = MIGRATIONS;
    if (first === undefined) throw new Error('there are no migrations');
    const lack = ({ name }: Migration) => `schema: lacks migration ${name}; "byway db migrate" applies it`;
    const absent = 'schema: there is no database yet; a start makes it';
    const failures = usualKind() === 'sqlite' ? [absent] : MIGRATIONS.map(lack);
    expect(await check(env)).toEqual({ code: 1, failures });
    expect(existsSync(env.BYWAY_DATA_DIR)).toBe(false);
    const config = readConfig(env);
    await (
      await openDatabase(config.databaseUrl, { directUrl: config.databaseDirectUrl, migrations: [first] })
    ).close();
    const lacks = later.map(lack);
    expect(await check(env)).toEqual({ code: 1, failures: lacks });
    expect(documentOf(await inProcess(['db', 'migrate', '--json'], env))).toEqual({
      applied: later.map(({ name }) => name),
    });
    expect(await check(env)).toMatchObject({ failures: [] });
  });
});

/**
 * The database of an account with two BYOK keys in one section, a shared credential, a request over a BYOK key, one on
 * shared capacity, and one in flight.
 */
async function filled() {
  const env = await emptyInstallation();
  const surroundings = { clock: systemClock, ids: systemIds };
  const config = readConfig(env);
  const gateway = await compose(config, {
    ...surroundings,
    log: pino({ level: 'silent' }),
    upstream: createUpstream({ clock: systemClock, allowPrivateUpstreams: false }),
  });
  const { stores } = gateway;
  await importCatalog(stores.catalog, JSON.stringify(testCatalog()), { merge: false });
  const wanted = { name: 'Acme', plan: 'pay_as_you_go' } as const;
  const { account, workspace } = await createAccount({ store: stores.accounts, ...surroundings }, wanted);
  const caller = { ...NOBODY, principal: operatorOf(account) };
  const contextValues = createContextValues().set(callerKey, caller);
  const { byok } = createByway(gateway.transport);
  for (const key of ['demo-one', 'demo-two']) await byok.create({ provider: 'a', key }, { contextValues });
  const payer = { ...PAYER, accountId: account.id, workspaceId: workspace.id };
  await stores.generations.settle(
    unsettledGeneration('gen-byok', { ...payer, byokKeyId: 'b' }),
    byokCharge(9n),
  );
  await stores.generations.settle(unsettledGeneration('gen-shared', payer), sharedCharge(7n));
  await gateway.close();
  expect(await inProcess(['provider', 'set-key', 'b'], env, 'demo-shared')).toMatchObject({ code: 0 });
  const database = await openDatabase(config.databaseUrl, { directUrl: config.databaseDirectUrl });
  await openLedgerStores(database).reserveStored('batch-open', LASTING, NOW, payer);
  await database.close();
  return { env, dataDir: config.dataDir, databaseUrl: config.databaseUrl };
}

/** Runs statements past everything that keeps the database in order. */
async function tamper(databaseUrl: string, sql: string): Promise<void> {
  if (usualKind() === 'postgres') {
    const client = new Client(databaseUrl);
    await client.connect();
    await client.query(`set session_replication_role = replica; ${sql}`).finally(() => client.end());
    return;
  }
  const database = openSqliteFile(databaseUrl.slice('sqlite:'.length));
  database.unsafeMode();
  database.exec('PRAGMA foreign_keys = OFF');
  database.exec(sql);
  database.close();
}

/** The exit code of the check and its failures, each after the check's name. */
async function check(env: Readonly<Record<string, string>>) {
  const ended = await inProcess(['db', 'check', '--json'], env);
  const { ok, checks } = documentOf(ended);
  expect(ok).toBe(ended.code === 0);
  const failures: string[] = [];
  for (const { name, status, details } of checks) {
    if (status !== 'ok') failures.push(...details.map((detail: string) => `${name}: ${detail}`));
  }
  return { code: ended.code, failures: failures.map(withoutRandomness) };
}
