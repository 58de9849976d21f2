import { describe, expect, it } from 'vitest';
import { windowEnd } from '../../src/spend/windows.js';
import {
  blocked,
  COST_USD,
  expectSettled,
  keyRecord,
  type MoneyGateway,
  parallel,
  served,
  startMoneyGateway,
} from '../support/money.js';
import { recordOf } from '../support/rest.js';

type Reset = 'daily' | 'weekly' | 'monthly' | null;
const RESETS: readonly Reset[] = ['daily', 'weekly', 'monthly', null];

function resetsAt(reset: Reset): string | null {
  return reset === null ? null : new Date(windowEnd(reset, Date.now())).toISOString();
}

const setLimit = (gateway: MoneyGateway, body: object) =>
  gateway.manage('PATCH', `/keys/${gateway.apiKeyHash}`, body).then(recordOf);

async function guardrail(gateway: MoneyGateway, body: object, to: 'key' | 'member' | 'default') {
  const rules = { name: 'Budget', ...body };
  if (to === 'default') {
    const workspace = recordOf(await gateway.manage('GET', `/workspaces/${gateway.workspaceId}`));
    return recordOf(await gateway.manage('PATCH', `/guardrails/${workspace.default_guardrail_id}`, rules));
  }
  const made = recordOf(await gateway.manage('POST', '/guardrails', rules));
  const [path, subjects] =
    to === 'key'
      ? ['keys', { key_hashes: [gateway.apiKeyHash] }]
      : ['members', { member_user_ids: [gateway.ownerUserId] }];
  const assigned = await gateway.manage('POST', `/guardrails/${made.id}/assignments/${path}`, subjects);
  expect(assigned.status).toBeLessThan(300);
  return made;
}

const workspaceBudget = (gateway: MoneyGateway, interval: string, body: object) =>
  gateway.manage('PUT', `/workspaces/${gateway.workspaceId}/budgets/${interval}`, body).then(recordOf);

const addByok = (gateway: MoneyGateway, more: object = {}) =>
  gateway.manage('POST', '/byok', { provider: 'a', key: 'demo-echo-0123456789', ...more }).then(recordOf);

describe('a key limit (spec 4.2, interface section 5)', () => {
  it.each(RESETS)(
    'with reset %s blocks once it is reached, and says which, its amount and its reset',
    async (reset) => {
      const gateway = await startMoneyGateway();
      await setLimit(gateway, { limit: 2 * COST_USD, limit_reset: reset });
      await served(gateway.chat('test/paid'));
      expect(await keyRecord(gateway)).toMatchObject({ usage: COST_USD, limit_remaining: COST_USD });
      await served(gateway.chat('test/paid'));
      expect(await blocked(gateway.chat('test/paid'))).toEqual({
        status: 403,
        message: `Key limit exceeded (${reset ?? 'total'} limit)`,
        reason: 'key_limit_exceeded',
        limit_usd: 2 * COST_USD,
        interval: reset,
        resets_at: resetsAt(reset),
      });
      expect(await keyRecord(gateway)).toMatchObject({ usage: 2 * COST_USD, limit_remaining: 0 });
      await expectSettled(gateway);
    },
  );

  it('blocks the whole request, free endpoints and BYOK too, and an unknown model is still unknown', async () => {
    const gateway = await startMoneyGateway();
    await addByok(gateway);
    await setLimit(gateway, { limit: 0 });
    expect(await blocked(gateway.chat('test/free'))).toMatchObject({ reason: 'key_limit_exceeded' });
    expect(await blocked(gateway.chat('test/paid'))).toMatchObject({ reason: 'key_limit_exceeded' });
    expect(await blocked(gateway.chat('test/none'))).toMatchObject({ reason: 'unknown_model' });
  });

  it('is off at once when it is raised or removed, and on at once when it is set (R7, R34)', async () => {
    const gateway = await startMoneyGateway();
    await served(gateway.chat('test/paid'));
    await setLimit(gateway, { limit: COST_USD });
    expect(await blocked(gateway.chat('test/paid'))).toMatchObject({ reason: 'key_limit_exceeded' });
    await setLimit(gateway, { limit: 3 * COST_USD });
    await served(gateway.chat('test/paid'));
    await setLimit(gateway, { limit: COST_USD });
    expect(await blocked(gateway.chat('test/paid'))).toMatchObject({ reason: 'key_limit_exceeded' });
    await setLimit(gateway, { limit: null });
    await served(gateway.chat('test/paid'));
  });

  it('counts BYOK usage only with include_byok_in_limit (spec 4.2)', async () => {
    const gateway = await startMoneyGateway();
    await addByok(gateway);
    await setLimit(gateway, { limit: COST_USD, include_byok_in_limit: false });
    for (let count = 0; count < 3; count++) await served(gateway.chat('test/paid'));
    expect(await keyRecord(gateway)).toMatchObject({ usage: 0, byok_usage: 3 * COST_USD });
    await setLimit(gateway, { include_byok_in_limit: true });
    expect(await blocked(gateway.chat('test/paid'))).toMatchObject({ reason: 'key_limit_exceeded' });
  });

  it('reached by a free request’s paid fallback, it refuses the next one whole (R10)', async () => {
    const gateway = await startMoneyGateway();
    await setLimit(gateway, { limit: COST_USD });
    const chain = { models: ['test/free-failing', 'test/paid'] };
    const body = await served(gateway.chat('test/free-failing', chain));
    expect(body).toMatchObject({ model: 'test/paid', usage: { cost: COST_USD } });
    expect(await blocked(gateway.chat('test/free-failing', chain))).toMatchObject({
      reason: 'key_limit_exceeded',
    });
  });
});

describe('a guardrail budget (spec 4.5.8, interface sections 4 and 5)', () => {
  it.each(['key', 'member', 'default'] as const)('of the %s blocks, and names the guardrail', async (to) => {
    const gateway = await startMoneyGateway();
    await guardrail(gateway, { name: 'Team "A"', limit_usd: COST_USD, reset_interval: 'weekly' }, to);
    await served(gateway.chat('test/paid'));
    const refusal = await blocked(gateway.chat('test/paid'));
    expect(refusal).toMatchObject({
      status: 403,
      reason: 'guardrail_budget_exceeded',
      limit_usd: COST_USD,
      interval: 'weekly',
      resets_at: resetsAt('weekly'),
    });
    expect(refusal.message).toContain('Team \\"A\\"');
    expect(refusal.message).toContain('0.01 USD weekly');
    expect(refusal.message).toContain(String(resetsAt('weekly')));
  });

  it('of a member counts all of its keys; of a key each by itself', async () => {
    const gateway = await startMoneyGateway();
    const { key: second } = JSON.parse((await gateway.manage('POST', '/keys', { name: 'Second' })).text);
    await guardrail(gateway, { limit_usd: COST_USD }, 'key');
    await served(gateway.chat('test/paid'));
    expect(await blocked(gateway.chat('test/paid'))).toMatchObject({ reason: 'guardrail_budget_exceeded' });
    await served(gateway.chat('test/paid', {}, second));
    await guardrail(gateway, { limit_usd: 2 * COST_USD }, 'member');
    expect(await blocked(gateway.chat('test/paid', {}, second))).toMatchObject({
      reason: 'guardrail_budget_exceeded',
    });
  });

  it.each(['key', 'member', 'default'] as const)('of the %s counts BYOK only with its flag', async (to) => {
    const gateway = await startMoneyGateway();
    await addByok(gateway);
    const { id } = await guardrail(gateway, { limit_usd: COST_USD }, to);
    await served(gateway.chat('test/paid'));
    await served(gateway.chat('test/paid'));
    recordOf(await gateway.manage('PATCH', `/guardrails/${id}`, { include_byok_in_budgets: true }));
    expect(await blocked(gateway.chat('test/paid'))).toMatchObject({ reason: 'guardrail_budget_exceeded' });
    recordOf(await gateway.manage('PATCH', `/guardrails/${id}`, { limit_usd: null }));
    await served(gateway.chat('test/paid'));
  });

  it('day and month are evaluated by themselves (R14)', async () => {
    const gateway = await startMoneyGateway();
    await guardrail(gateway, { limit_usd: 2 * COST_USD, reset_interval: 'daily' }, 'key');
    await guardrail(gateway, { limit_usd: 3 * COST_USD, reset_interval: 'monthly' }, 'member');
    await served(gateway.chat('test/paid'));
    await served(gateway.chat('test/paid'));
    expect(await blocked(gateway.chat('test/paid'))).toMatchObject({ interval: 'daily' });
  });
});

describe('a workspace budget (spec 4.5.9, interface section 5)', () => {
  it.each(['daily', 'weekly', 'monthly', 'lifetime'] as const)(
    '%s blocks every key of the workspace',
    async (interval) => {
      const gateway = await startMoneyGateway();
      const { key: second } = JSON.parse((await gateway.manage('POST', '/keys', { name: 'Second' })).text);
      await workspaceBudget(gateway, interval, { limit_usd: 2 * COST_USD });
      await served(gateway.chat('test/paid'));
      await served(gateway.chat('test/paid', {}, second));
      const window = interval === 'lifetime' ? null : interval;
      for (const key of [gateway.apiKey, second]) {
        expect(await blocked(gateway.chat('test/paid', {}, key))).toMatchObject({
          status: 403,
          reason: 'workspace_budget_exceeded',
          limit_usd: 2 * COST_USD,
          interval: window,
          resets_at: resetsAt(window),
        });
      }
      const read = await gateway.manage('GET', `/workspaces/${gateway.workspaceId}/budgets/${interval}`);
      expect(recordOf(read)).toMatchObject({ spent_usd: 2 * COST_USD });
    },
  );

  it('counts BYOK with one flag for all intervals, at once', async () => {
    const gateway = await startMoneyGateway();
    await addByok(gateway);
    await workspaceBudget(gateway, 'daily', { limit_usd: 100 });
    await workspaceBudget(gateway, 'lifetime', { limit_usd: COST_USD });
    await served(gateway.chat('test/paid'));
    await served(gateway.chat('test/paid'));
    await workspaceBudget(gateway, 'daily', { limit_usd: 100, include_byok_in_budgets: true });
    expect(await blocked(gateway.chat('test/paid'))).toMatchObject({
      reason: 'workspace_budget_exceeded',
      interval: null,
    });
  });
});

describe('credits (interface section 5)', () => {
  it('once used up exclude shared endpoints that cost something: 402', async () => {
    const gateway = await startMoneyGateway({ credits: 10_000_000n });
    await served(gateway.chat('test/paid'));
    expect(await blocked(gateway.chat('test/paid'))).toMatchObject({
      status: 402,
      reason: 'insufficient_credits',
      reasons: { insufficient_credits: 1 },
    });
    await served(gateway.chat('test/free'));
    await addByok(gateway);
    expect(await served(gateway.chat('test/paid'))).toMatchObject({ usage: { is_byok: true, cost: 0 } });
  });

  it('that are none to begin with: 402 for what costs, 404 for what cannot be served anyway', async () => {
    const gateway = await startMoneyGateway({ credits: 0n });
    expect(await blocked(gateway.chat('test/paid'))).toMatchObject({ status: 402 });
    expect(await blocked(gateway.chat('test/paid', { provider: { only: ['b'] } }))).toMatchObject({
      status: 404,
    });
  });
});

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

describe.each(SETTINGS)('100 requests at once against %s for 10 (R1, R2)', (name, set, block) => {
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
      await served(
        gateway.chat(name === 'credits' ? 'test/free' : 'test/paid', {}, await freshKey(gateway, name)),
      );
    },
  );
});

/** A key that the limit does not hold for, where there is one: it is served. */
async function freshKey(gateway: MoneyGateway, limit: string): Promise<string> {
  if (limit === 'credits') return gateway.apiKey;
  const { id } = recordOf(await gateway.manage('POST', '/workspaces', { name: 'Other', slug: 'other' }));
  const body = { name: 'Fresh', workspace_id: id, creator_user_id: 'user_other' };
  return String(JSON.parse((await gateway.manage('POST', '/keys', body)).text).key);
}

it('priced by the token, 100 at once overshoot by at most one request’s cost, with and without max_tokens', async () => {
  for (const more of [{}, { max_tokens: 50 }, { stream: true }]) {
    const gateway = await startMoneyGateway({ credits: 10n ** 13n });
    const { usage } = await served(gateway.chat('test/tokens'));
    const cost = Number((usage as { cost: number }).cost);
    await setLimit(gateway, { limit: Number((11 * cost).toFixed(9)) });
    await parallel(100, () => gateway.chat('test/tokens', more), {
      status: 403,
      reason: 'key_limit_exceeded',
    });
    const spent = Number((await keyRecord(gateway)).usage);
    expect(spent).toBeLessThanOrEqual(12 * cost + 1e-9);
    await expectSettled(gateway);
    // What is left of the limit is there for the next one: no phantom block.
    while (Number((await keyRecord(gateway)).limit_remaining) > 0)
      await served(gateway.chat('test/tokens', more));
    expect(Number((await keyRecord(gateway)).usage)).toBeLessThanOrEqual(12 * cost + 1e-9);
  }
});

it('failures cost nothing and keep nothing back, in any mixture (R4)', async () => {
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
