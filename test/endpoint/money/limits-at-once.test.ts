import { describe, expect, it } from 'vitest';
import { guardrail, setLimit, workspaceBudget } from '../../support/limits.js';
import {
  COST_USD,
  expectSettled,
  keyRecord,
  type MoneyGateway,
  mustSucceed,
  parallel,
  startMoneyGateway,
} from '../../support/money.js';
import { recordOf } from '../../support/rest.js';

type Setting = readonly [name: string, set: (gateway: MoneyGateway) => Promise<unknown>, block: Block];
type Block = { readonly status: number; readonly reason: string };
const TEN = { limit_usd: 10 * COST_USD };

const SETTINGS: readonly Setting[] = [
  [
    'a key limit',
    (gateway) => setLimit(gateway, { limit: 10 * COST_USD }),
    { status: 403, reason: 'key_limit_exceeded' },
  ],
  ...(['key', 'member', 'default'] as const).map(
    (to): Setting => [
      `a guardrail budget of the ${to}`,
      (gateway) => guardrail(gateway, TEN, to),
      { status: 403, reason: 'guardrail_budget_exceeded' },
    ],
  ),
  [
    'a workspace budget',
    (gateway) => workspaceBudget(gateway, 'monthly', TEN),
    { status: 403, reason: 'workspace_budget_exceeded' },
  ],
  ['credits', async () => undefined, { status: 402, reason: 'insufficient_credits' }],
];

describe.each(SETTINGS)('100 requests at once against %s for 10', (name, set, block) => {
  const credits = name === 'credits' ? 100_000_000n : 10n ** 12n;

  it.each([
    ['in one piece', {}],
    ['with max_tokens', { max_tokens: 50 }],
    ['streamed', { stream: true }],
  ])(
    '%s: exactly 10 are served, nothing stays reserved, and the next affordable one passes',
    async (_, more) => {
      const gateway = await startMoneyGateway({ credits });
      await set(gateway);
      expect(await parallel(100, () => gateway.chat('test/slow', more), block)).toBe(10);
      expect(await keyRecord(gateway)).toMatchObject({ usage: 10 * COST_USD });
      await expectSettled(gateway);
      await mustSucceed(
        gateway.chat(name === 'credits' ? 'test/free' : 'test/paid', {}, await freshKey(gateway, name)),
      );
    },
  );
});

/** A key outside the limit, where there is one, is served. */
async function freshKey(gateway: MoneyGateway, limit: string): Promise<string> {
  if (limit === 'credits') return gateway.apiKey;
  const { id } = recordOf(await gateway.manage('POST', '/workspaces', { name: 'Other', slug: 'other' }));
  const body = { name: 'Fresh', workspace_id: id, creator_user_id: 'user_other' };
  return String(JSON.parse((await gateway.manage('POST', '/keys', body)).text).key);
}

it('priced by the token, 100 at once overshoot by at most one request’s cost, with and without max_tokens', async () => {
  for (const more of [{}, { max_tokens: 50 }, { stream: true }]) {
    const gateway = await startMoneyGateway({ credits: 10n ** 13n });
    const { usage } = await mustSucceed(gateway.chat('test/tokens'));
    const cost = Number((usage as { cost: number }).cost);
    await setLimit(gateway, { limit: Number((11 * cost).toFixed(9)) });
    await parallel(100, () => gateway.chat('test/tokens', more), {
      status: 403,
      reason: 'key_limit_exceeded',
    });
    const spent = Number((await keyRecord(gateway)).usage);
    expect(spent).toBeLessThanOrEqual(12 * cost + 1e-9);
    await expectSettled(gateway);
    // The rest of the limit is available to the next request.
    while (Number((await keyRecord(gateway)).limit_remaining) > 0)
      await mustSucceed(gateway.chat('test/tokens', more));
    expect(Number((await keyRecord(gateway)).usage)).toBeLessThanOrEqual(12 * cost + 1e-9);
  }
});

it('failures cost nothing and leave no reservation, in any mixture', async () => {
  const gateway = await startMoneyGateway();
  await setLimit(gateway, { limit: 5 * COST_USD });
  const statuses = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      gateway.chat(['test/failing', 'test/paid', 'test/free'][index % 3] ?? '', { stream: index % 2 === 0 }),
    ),
  );
  expect(statuses.filter(({ status }) => status === 502).length).toBeGreaterThan(0);
  await expectSettled(gateway);
  const { usage } = await keyRecord(gateway);
  const { total_count } = JSON.parse((await gateway.manage('GET', '/generations')).text);
  expect(Number(usage)).toBeLessThanOrEqual(5 * COST_USD);
  expect(total_count).toBe(statuses.filter(({ status }) => status !== 403).length);
});
