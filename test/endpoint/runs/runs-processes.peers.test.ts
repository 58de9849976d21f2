import { describe, expect, it } from 'vitest';
import { temporaryDatabaseUrl } from '../../support/database.js';
import { COST_USD, expectSettled, parallel, startMoneyGateway } from '../../support/money.js';
import { hasPostgres } from '../../support/postgres/postgres-access.js';
import { caller, rowsOf } from '../../support/rest.js';

describe.runIf(hasPostgres())('three gateways on one PostgreSQL database', () => {
  it('hold a run to its limit, exactly, and to the lowest of those that come at once', async () => {
    const env = {
      BYWAY_DATABASE_URL: await temporaryDatabaseUrl('postgres'),
      BYWAY_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
      // Long enough that the speed of the machine does not count.
      BYWAY_RESERVATION_WAIT_MS: '20000',
    };
    const first = await startMoneyGateway({ env, credits: 10n ** 12n });
    const all = [first, await startMoneyGateway({ env }), await startMoneyGateway({ env })];
    const body = { model: 'test/slow', messages: [{ role: 'user', content: 'Hello' }] };
    const chat = (gateway: (typeof all)[number], limit: string) =>
      caller(gateway, first.apiKey)('POST', '/chat/completions', body, {
        'x-byway-run': 'r',
        'x-byway-run-limit-usd': limit,
      });
    const block = { status: 402, reason: 'run_limit_exceeded' };
    const counts = await Promise.all(all.map((gateway) => parallel(70, () => chat(gateway, '0.1'), block)));
    expect(counts.reduce((sum, count) => sum + count)).toBe(10);
    expect(rowsOf(await first.manage('GET', '/runs'))).toMatchObject([
      { requests: 10, usage: 10 * COST_USD, limit_usd: 0.1 },
    ]);
    const lowered = ['0.09', '0.08', '0.07'];
    await Promise.all(all.map((gateway, index) => chat(gateway, lowered[index] ?? '0.1')));
    expect(rowsOf(await first.manage('GET', '/runs'))).toMatchObject([{ limit_usd: 0.07 }]);
    await expectSettled(first);
  });
});
