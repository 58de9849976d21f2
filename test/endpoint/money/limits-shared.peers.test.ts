import { describe, expect, it } from 'vitest';
import { temporaryDatabaseUrl } from '../../support/database.js';
import { setLimit } from '../../support/limits.js';
import { COST_USD, expectSettled, keyRecord, parallel, startMoneyGateway } from '../../support/money.js';
import { hasPostgres } from '../../support/postgres/postgres-access.js';

describe.runIf(hasPostgres())('three gateways on one PostgreSQL database', () => {
  it.each([
    ['a key limit', { status: 403, reason: 'key_limit_exceeded' }],
    ['the limit of an end user', { status: 403, reason: 'end_user_limit_exceeded' }],
    ['credits', { status: 402, reason: 'insufficient_credits' }],
  ])('90 requests at once against %s for 10: exactly 10 are served', async (name, block) => {
    const env = {
      BYWAY_DATABASE_URL: await temporaryDatabaseUrl('postgres'),
      BYWAY_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
      // Long enough that the speed of the machine does not count.
      BYWAY_RESERVATION_WAIT_MS: '20000',
    };
    const credits = name === 'credits' ? 100_000_000n : 10n ** 12n;
    const first = await startMoneyGateway({ env, credits });
    if (name !== 'credits')
      await setLimit(first, { [name === 'a key limit' ? 'limit' : 'end_user_limit']: 10 * COST_USD });
    const others = [await startMoneyGateway({ env }), await startMoneyGateway({ env })];
    const counts = await Promise.all(
      [first, ...others].map((gateway) =>
        parallel(30, () => gateway.chat('test/slow', { user: 'ann' }, first.apiKey), block),
      ),
    );
    expect(counts.reduce((sum, count) => sum + count)).toBe(10);
    expect(await keyRecord(first)).toMatchObject({ usage: 10 * COST_USD });
    await expectSettled(first);
  });
});
