import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Database } from '../../../src/store/database/database.js';
import { openDuringTest, temporaryDatabaseUrl } from '../../support/database.js';
import { setLimit } from '../../support/limits.js';
import {
  COST_USD,
  expectSettled,
  forAccount,
  keyRecord,
  moneyCatalog,
  startMoneyGateway,
} from '../../support/money.js';
import { hasPostgres } from '../../support/postgres/postgres-access.js';
import { caller } from '../../support/rest.js';
import { serveFrom } from '../serving.js';

const EACH = 150;

describe.runIf(hasPostgres())('one key that several processes are asked for at once', () => {
  it('requests don’t queue one by one: they share transactions, each is admitted, and the sum is exact', async () => {
    const databaseUrl = await temporaryDatabaseUrl('postgres');
    const gateway = await startMoneyGateway({ env: { BYWAY_DATABASE_URL: databaseUrl } });
    const account = forAccount(gateway, await gateway.addAccount({ credits: 10n ** 12n }));
    await setLimit(account, { limit: 10 * EACH * COST_USD });
    const options = { databaseUrl, catalog: moneyCatalog() };
    const processes = await Promise.all([1, 2].map(() => serveFrom(gateway.dataDir, options)));
    const database = await openDuringTest(databaseUrl);

    const answers = await Promise.all(
      processes.flatMap((process) =>
        Array.from({ length: EACH }, () => chat(caller(process, account.apiKey))),
      ),
    );
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect(await keyRecord(account)).toMatchObject({ usage: 2 * EACH * COST_USD });
    await expectSettled(gateway);
    expect(await chargingTransactions(database)).toBeLessThan(EACH);
  }, 120_000);
});

function chat(use: ReturnType<typeof caller>) {
  const messages = [{ role: 'user', content: 'Hello there' }];
  return use('POST', '/chat/completions', { model: 'test/paid', messages });
}

/** Number of transactions that wrote the records of all requests. */
async function chargingTransactions({ query }: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct xmin::text)::integer as count from generation`.execute(query);
  return rows[0]?.count ?? 0;
}
