import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createContextValues } from '@connectrpc/connect';
import SqliteDatabase from 'better-sqlite3';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createAccount } from '../../src/accounts/create-account.js';
import { systemClock } from '../../src/base/clock.js';
import { systemIds } from '../../src/base/ids.js';
import { importCatalog } from '../../src/catalog/import.js';
import { operatorOf } from '../../src/cli/operator.js';
import { createByway } from '../../src/client/index.js';
import { compose } from '../../src/compose.js';
import { readConfig } from '../../src/config.js';
import { callerKey, NOBODY } from '../../src/rpc/caller.js';
import { MIGRATIONS } from '../../src/store/migrations/index.js';
import { openDatabase } from '../../src/store/open.js';
import { createUpstream } from '../../src/upstream/index.js';
import { documentOf, emptyDataDir, inProcess, withoutRandomness } from '../support/byway.js';
import { testCatalog } from '../support/catalog.js';

describe('byway db check', () => {
  it('finds nothing in a sound database', async () => {
    const { env } = await filled();
    expect(await check(env)).toEqual({ code: 0, faults: [] });
  });

  it.each<[string, string, string[]]>([
    [
      'a damaged index or table',
      `PRAGMA writable_schema = ON;
       UPDATE sqlite_schema SET sql = replace(sql, '"owner_user_id" text not null', '"owner_user_id" text')
         WHERE name = 'account';
       PRAGMA writable_schema = RESET;
       UPDATE account SET owner_user_id = NULL;
       PRAGMA writable_schema = ON;
       UPDATE sqlite_schema SET sql = replace(sql, '"owner_user_id" text', '"owner_user_id" text not null')
         WHERE name = 'account'`,
      ['integrity: NULL value in account.owner_user_id'],
    ],
    [
      'references to nothing',
      "UPDATE management_key SET account_id = 'gone'",
      ['integrity: row 1 of management_key refers to a missing account'],
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
  ])('finds %s', async (_, sql, expected) => {
    const { env, file } = await filled();
    const database = new SqliteDatabase(file).unsafeMode();
    database.pragma('foreign_keys = OFF');
    database.exec(sql);
    database.close();
    const { code, faults } = await check(env);
    expect(code).toBe(1);
    for (const fault of expected) {
      expect(faults).toContainEqual(expect.stringContaining(fault));
    }
    const names = new Set(expected.map((fault) => fault.split(':')[0]));
    expect(new Set(faults.map((fault) => fault.split(':')[0]))).toEqual(names);
  });

  it('says that the master key is missing, and makes none', async () => {
    const { env, dataDir } = await filled();
    rmSync(join(dataDir, 'master.key'));
    expect(await check(env)).toEqual({
      code: 1,
      faults: [expect.stringMatching(/^credentials: .*master\.key is missing$/)],
    });
    expect(existsSync(join(dataDir, 'master.key'))).toBe(false);
  });

  it('neither makes nor migrates a database', async () => {
    const env = { BYWAY_DATA_DIR: emptyDataDir() };
    expect(await check(env)).toMatchObject({
      code: 1,
      faults: ['schema: there is no database yet; a start makes it'],
    });
    expect(existsSync(env.BYWAY_DATA_DIR)).toBe(false);
    const [first, ...later] = MIGRATIONS;
    if (first === undefined) throw new Error('there are no migrations');
    await (await openDatabase(`sqlite:${env.BYWAY_DATA_DIR}/byway.db`, { migrations: [first] })).close();
    const lacks = later.map(({ name }) => `schema: lacks migration ${name}; "byway db migrate" applies it`);
    expect(await check(env)).toEqual({ code: 1, faults: lacks });
    expect(documentOf(await inProcess(['db', 'migrate', '--json'], env))).toEqual({
      applied: later.map(({ name }) => name),
    });
    expect(await check(env)).toMatchObject({ faults: [] });
  });
});

/** The database of an account with two BYOK keys in one section and a shared credential. */
async function filled() {
  const dataDir = emptyDataDir();
  const env = { BYWAY_DATA_DIR: dataDir };
  const surroundings = { clock: systemClock, ids: systemIds };
  const gateway = await compose(readConfig(env), {
    ...surroundings,
    log: pino({ level: 'silent' }),
    upstream: createUpstream({ clock: systemClock, allowPrivateUpstreams: false }),
  });
  const { stores } = gateway;
  await importCatalog(stores.catalog, JSON.stringify(testCatalog()), { merge: false });
  const wanted = { name: 'Acme', plan: 'pay_as_you_go' } as const;
  const { account } = await createAccount({ store: stores.accounts, ...surroundings }, wanted);
  const caller = { ...NOBODY, principal: operatorOf(account) };
  const contextValues = createContextValues().set(callerKey, caller);
  const { byok } = createByway(gateway.transport);
  for (const key of ['demo-one', 'demo-two']) await byok.create({ provider: 'a', key }, { contextValues });
  await gateway.close();
  expect(await inProcess(['provider', 'set-key', 'b'], env, 'demo-shared')).toMatchObject({ code: 0 });
  return { env, dataDir, file: join(dataDir, 'byway.db') };
}

/** The exit code of the check and its faults, each after the check's name. */
async function check(env: Readonly<Record<string, string>>) {
  const ended = await inProcess(['db', 'check', '--json'], env);
  const { ok, checks } = documentOf(ended);
  expect(ok).toBe(ended.code === 0);
  const faults: string[] = [];
  for (const { name, status, details } of checks) {
    if (status !== 'ok') faults.push(...details.map((detail: string) => `${name}: ${detail}`));
  }
  return { code: ended.code, faults: faults.map(withoutRandomness) };
}
