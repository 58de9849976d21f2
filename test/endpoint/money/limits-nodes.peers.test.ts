import { describe, expect, it } from 'vitest';
import { clockAt, type SetClock } from '../../support/clock.js';
import { temporaryDatabaseUrl } from '../../support/database.js';
import { setLimit } from '../../support/limits.js';
import {
  blocked,
  COST_USD,
  expectSettled,
  keyRecord,
  mustSucceed,
  parallel,
  startMoneyGateway,
} from '../../support/money.js';
import { hasPostgres } from '../../support/postgres/postgres-access.js';
import { bodyOf, recordOf } from '../../support/rest.js';

const BLOCK = { status: 403, reason: 'key_limit_exceeded' };

/** Three gateways that share only a database. */
async function startThree(clock?: SetClock) {
  const options = {
    env: {
      BYWAY_DATABASE_URL: await temporaryDatabaseUrl('postgres'),
      BYWAY_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
      // Long enough that the speed of the machine does not count.
      BYWAY_RESERVATION_WAIT_MS: '20000',
    },
    ...(clock !== undefined && { clock }),
  };
  const first = await startMoneyGateway(options);
  return { first, all: [first, await startMoneyGateway(options), await startMoneyGateway(options)] };
}

describe.runIf(hasPostgres())('one limit, three gateways', () => {
  it('60 requests at once against a limit for 10: exactly 10 are served, spread over all gateways', async () => {
    const { first, all } = await startThree();
    await setLimit(first, { limit: 10 * COST_USD });
    const counts = await Promise.all(
      all.map((gateway) => parallel(20, () => gateway.chat('test/slow', {}, first.apiKey), BLOCK)),
    );
    expect(counts.reduce((sum, count) => sum + count)).toBe(10);
    expect(await keyRecord(first)).toMatchObject({ usage: 10 * COST_USD, limit_remaining: 0 });
    await expectSettled(first);
  });

  it('once reached it blocks at all of them, and resets at all of them at once', async () => {
    const clock = clockAt('2026-03-04T23:59:59.999Z');
    const { first, all } = await startThree(clock);
    await setLimit(first, { limit: 3 * COST_USD, limit_reset: 'daily' });
    for (let day = 5; day < 8; day++) {
      for (const gateway of all) await mustSucceed(gateway.chat('test/paid', {}, first.apiKey));
      for (const gateway of all) {
        expect(await blocked(gateway.chat('test/paid', {}, first.apiKey))).toMatchObject(BLOCK);
      }
      clock.set(`2026-03-0${day}T00:00:00.000Z`);
    }
    expect(await keyRecord(first)).toMatchObject({ usage: 9 * COST_USD, usage_daily: 0 });
  });

  it('the limits of a new key and a new member hold from their first requests, sent to all at once', async () => {
    const { first, all } = await startThree();
    const guardrail = recordOf(
      await first.manage('POST', '/guardrails', { name: 'Newcomers', limit_usd: 4 * COST_USD }),
    );
    const user = 'user_newcomer';
    const assigned = await first.manage('POST', `/guardrails/${guardrail.id}/assignments/members`, {
      member_user_ids: [user],
    });
    expect(assigned.status).toBeLessThan(300);
    const keys: string[] = [];
    for (let count = 0; count < 3; count++) {
      const made = await first.manage('POST', '/keys', {
        name: 'New',
        creator_user_id: user,
        limit: 2 * COST_USD,
      });
      keys.push(String(bodyOf(made).key));
    }
    const answers = await Promise.all(
      all.flatMap((gateway) =>
        keys.flatMap((key) => [1, 2, 3].map(() => gateway.chat('test/slow', {}, key))),
      ),
    );
    const spent = answers.filter(({ status }) => status === 200).length;
    expect(spent).toBe(4);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      const { reason } = await blocked(Promise.resolve(answer));
      expect(['key_limit_exceeded', 'guardrail_budget_exceeded']).toContain(reason);
    }
    await expectSettled(first);
  });
});
