import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.js';
import { systemIds } from '../../../src/base/ids.js';
import { topUp } from '../../../src/ledger/credits.js';
import { totalsViolations } from '../../../src/store/ledger/totals.js';
import { chargeViolations } from '../../../src/store/maintenance/invariants.js';
import { MIGRATIONS } from '../../../src/store/migrations/index.js';
import { openDatabase } from '../../../src/store/open.js';
import { createStores } from '../../../src/store/stores.js';
import { usageViolations } from '../../../src/store/usage/usage-check.js';
import { emptyDatabaseUrl, optionsFor } from '../../support/database.js';
import { addAccount, startGateway, type TestAccount } from '../../support/gateway.js';
import { addOldGenerations } from '../../support/old-generations.js';
import { isPartitioned } from '../../support/partitions.js';
import { bodyOf, caller, rowsOf } from '../../support/rest.js';

const TEN_USD = 10n * 10n ** 9n;

/** `npm run upgrade-test` takes more. */
const RECORDS = Number(process.env.UPGRADE_RECORDS ?? 50_000);

test('books of the version before the rollups are served at once, and are in rollups and partitions after a while', async () => {
  const databaseUrl = await emptyDatabaseUrl();
  const account = await grownInstallation(databaseUrl);
  const { rest, url, gateway } = await startGateway({ env: { BYWAY_DATABASE_URL: databaseUrl } });
  const credits = { store: gateway.stores.credits, clock: systemClock, ids: systemIds };
  await topUp(credits, account.accountId, TEN_USD);
  const failures: object[] = [];
  gateway.retention.start({ info: () => {}, error: (fields) => void failures.push(fields) });
  const { database } = gateway;
  const manage = caller({ rest }, account.managementKey);
  const use = caller({ rest }, account.apiKey);
  let chats = 0;
  const expectServed = async () => {
    const body = { model: 'test/m1', messages: [{ role: 'user', content: 'Hello' }] };
    const answers = await Promise.all([1, 2, 3].map(() => use('POST', '/chat/completions', body)));
    chats += answers.length;
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const [activity, generations, health] = await Promise.all([
      manage('GET', '/activity?limit=100'),
      manage('GET', '/generations?limit=50'),
      fetch(`${url}/healthz`),
    ]);
    expect([generations.status, health.status]).toEqual([200, 200]);
    expect(bodyOf(generations)).toMatchObject({ total_count: 10_000, total_count_exact: false });
    const requests = rowsOf(activity).map((row) => Number(row.requests));
    expect(requests.reduce((sum, each) => sum + each, 0)).toBe(RECORDS + chats);
  };
  const isFilling = async () =>
    (await database.query.selectFrom('usage_fill').selectAll().executeTakeFirst()) !== undefined;

  expect(await isFilling()).toBe(true);
  while ((await isFilling()) || !(await isPartitioned(database))) await expectServed();
  await expectServed();
  expect(failures).toEqual([]);
  const checks = [usageViolations, chargeViolations, totalsViolations];
  expect((await Promise.all(checks.map((check) => check(database)))).flat()).toEqual([]);
}, 3_600_000);

/** An account with keys and many records, in a database of the version before the rollups. */
async function grownInstallation(databaseUrl: string): Promise<TestAccount> {
  const migrations = MIGRATIONS.filter(({ name }) => name < '0007');
  const database = await openDatabase(databaseUrl, { ...optionsFor(databaseUrl), migrations });
  const stores = createStores(database, { clock: systemClock, ids: systemIds });
  // Totals of that version have other columns than this one's, and accounts and keys fewer.
  const later = [
    ['account', 'has_shared_capacity', 'integer not null default 1'],
    ['account', 'closed_at', 'bigint'],
    ['api_key', 'end_user_limit_nano_usd', 'bigint'],
    ['api_key', 'end_user_limit_reset', 'text'],
    ['api_key', 'end_user_required', 'integer not null default 0'],
    ['api_key', 'cache_ttl', 'integer'],
  ] as const;
  await database.transact([], async (tx) => {
    for (const [table, name, type] of later) {
      await sql`alter table ${sql.table(table)} add column ${sql.ref(name)} ${sql.raw(type)}`.execute(tx);
    }
  });
  const account = await addAccount({ stores }, systemClock, 0n);
  await database.transact([], async (tx) => {
    for (const [table, name] of later) {
      await sql`alter table ${sql.table(table)} drop column ${sql.ref(name)}`.execute(tx);
    }
  });
  await addOldGenerations(database, RECORDS, Date.now(), account);
  await database.close();
  return account;
}
