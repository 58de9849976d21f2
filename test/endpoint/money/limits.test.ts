import { describe, expect, it } from 'vitest';
import { windowEnd } from '../../../src/ledger/balance/windows.js';
import { addByok, guardrail, setLimit, workspaceBudget } from '../../support/limits.js';
import {
  blocked,
  COST_USD,
  expectSettled,
  keyRecord,
  mustSucceed,
  startMoneyGateway,
} from '../../support/money.js';
import { recordOf } from '../../support/rest.js';

type Reset = 'daily' | 'weekly' | 'monthly' | null;
const RESETS: readonly Reset[] = ['daily', 'weekly', 'monthly', null];

function resetsAt(reset: Reset): string | null {
  return reset === null ? null : new Date(windowEnd(reset, Date.now())).toISOString();
}

describe('a key limit', () => {
  it.each(RESETS)(
    'with reset %s blocks once it is reached, and the error names it, its amount and its reset',
    async (reset) => {
      const gateway = await startMoneyGateway();
      await setLimit(gateway, { limit: 2 * COST_USD, limit_reset: reset });
      await mustSucceed(gateway.chat('test/paid'));
      expect(await keyRecord(gateway)).toMatchObject({ usage: COST_USD, limit_remaining: COST_USD });
      await mustSucceed(gateway.chat('test/paid'));
      expect(await blocked(gateway.chat('test/paid'))).toEqual({
        status: 403,
        message: expect.stringMatching(
          new RegExp(`^Key limit exceeded \\(${reset ?? 'total'} limit\\): 0\\.02 of 0\\.02 USD spent, `),
        ),
        reason: 'key_limit_exceeded',
        id: gateway.apiKeyHash,
        name: expect.any(String),
        limit_usd: 2 * COST_USD,
        spent_usd: 2 * COST_USD,
        reserved_usd: 0,
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

  it('takes effect at once when it is raised, removed or set', async () => {
    const gateway = await startMoneyGateway();
    await mustSucceed(gateway.chat('test/paid'));
    await setLimit(gateway, { limit: COST_USD });
    expect(await blocked(gateway.chat('test/paid'))).toMatchObject({ reason: 'key_limit_exceeded' });
    await setLimit(gateway, { limit: 3 * COST_USD });
    await mustSucceed(gateway.chat('test/paid'));
    await setLimit(gateway, { limit: COST_USD });
    expect(await blocked(gateway.chat('test/paid'))).toMatchObject({ reason: 'key_limit_exceeded' });
    await setLimit(gateway, { limit: null });
    await mustSucceed(gateway.chat('test/paid'));
  });

  it('counts BYOK usage only with include_byok_in_limit', async () => {
    const gateway = await startMoneyGateway();
    await addByok(gateway);
    await setLimit(gateway, { limit: COST_USD, include_byok_in_limit: false });
    for (let count = 0; count < 3; count++) await mustSucceed(gateway.chat('test/paid'));
    expect(await keyRecord(gateway)).toMatchObject({ usage: 0, byok_usage: 3 * COST_USD });
    await setLimit(gateway, { include_byok_in_limit: true });
    expect(await blocked(gateway.chat('test/paid'))).toMatchObject({ reason: 'key_limit_exceeded' });
  });

  it('reached by a free request’s paid fallback, it refuses the next one whole', async () => {
    const gateway = await startMoneyGateway();
    await setLimit(gateway, { limit: COST_USD });
    const fallback = { models: ['test/free-failing', 'test/paid'] };
    const body = await mustSucceed(gateway.chat('test/free-failing', fallback));
    expect(body).toMatchObject({ model: 'test/paid', usage: { cost: COST_USD } });
    expect(await blocked(gateway.chat('test/free-failing', fallback))).toMatchObject({
      reason: 'key_limit_exceeded',
    });
  });
});

describe('a guardrail budget', () => {
  it.each(['key', 'member', 'default'] as const)('of the %s blocks, and names the guardrail', async (to) => {
    const gateway = await startMoneyGateway();
    await guardrail(gateway, { name: 'Team "A"', limit_usd: COST_USD, reset_interval: 'weekly' }, to);
    await mustSucceed(gateway.chat('test/paid'));
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
    expect(refusal.message).toContain(`resets ${String(resetsAt('weekly')).replace(':00.000Z', 'Z')}`);
  });

  it('of a member counts all of its keys; of a key each by itself', async () => {
    const gateway = await startMoneyGateway();
    const { key: second } = JSON.parse((await gateway.manage('POST', '/keys', { name: 'Second' })).text);
    await guardrail(gateway, { limit_usd: COST_USD }, 'key');
    await mustSucceed(gateway.chat('test/paid'));
    expect(await blocked(gateway.chat('test/paid'))).toMatchObject({ reason: 'guardrail_budget_exceeded' });
    await mustSucceed(gateway.chat('test/paid', {}, second));
    await guardrail(gateway, { limit_usd: 2 * COST_USD }, 'member');
    expect(await blocked(gateway.chat('test/paid', {}, second))).toMatchObject({
      reason: 'guardrail_budget_exceeded',
    });
  });

  it.each(['key', 'member', 'default'] as const)('of the %s counts BYOK only with its flag', async (to) => {
    const gateway = await startMoneyGateway();
    await addByok(gateway);
    const { id } = await guardrail(gateway, { limit_usd: COST_USD }, to);
    await mustSucceed(gateway.chat('test/paid'));
    await mustSucceed(gateway.chat('test/paid'));
    recordOf(await gateway.manage('PATCH', `/guardrails/${id}`, { include_byok_in_budgets: true }));
    expect(await blocked(gateway.chat('test/paid'))).toMatchObject({ reason: 'guardrail_budget_exceeded' });
    recordOf(await gateway.manage('PATCH', `/guardrails/${id}`, { limit_usd: null }));
    await mustSucceed(gateway.chat('test/paid'));
  });

  it('day and month are evaluated independently', async () => {
    const gateway = await startMoneyGateway();
    await guardrail(gateway, { limit_usd: 2 * COST_USD, reset_interval: 'daily' }, 'key');
    await guardrail(gateway, { limit_usd: 3 * COST_USD, reset_interval: 'monthly' }, 'member');
    await mustSucceed(gateway.chat('test/paid'));
    await mustSucceed(gateway.chat('test/paid'));
    expect(await blocked(gateway.chat('test/paid'))).toMatchObject({ interval: 'daily' });
  });
});

describe('a workspace budget', () => {
  it.each(['daily', 'weekly', 'monthly', 'lifetime'] as const)(
    '%s blocks every key of the workspace',
    async (interval) => {
      const gateway = await startMoneyGateway();
      const { key: second } = JSON.parse((await gateway.manage('POST', '/keys', { name: 'Second' })).text);
      await workspaceBudget(gateway, interval, { limit_usd: 2 * COST_USD });
      await mustSucceed(gateway.chat('test/paid'));
      await mustSucceed(gateway.chat('test/paid', {}, second));
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
    await mustSucceed(gateway.chat('test/paid'));
    await mustSucceed(gateway.chat('test/paid'));
    await workspaceBudget(gateway, 'daily', { limit_usd: 100, include_byok_in_budgets: true });
    expect(await blocked(gateway.chat('test/paid'))).toMatchObject({
      reason: 'workspace_budget_exceeded',
      interval: null,
    });
  });
});

describe('credits', () => {
  it('once used up exclude shared endpoints that cost something: 402', async () => {
    const gateway = await startMoneyGateway({ credits: 10_000_000n });
    await mustSucceed(gateway.chat('test/paid'));
    expect(await blocked(gateway.chat('test/paid'))).toMatchObject({
      status: 402,
      reason: 'insufficient_credits',
      reasons: { insufficient_credits: 1 },
    });
    await mustSucceed(gateway.chat('test/free'));
    await addByok(gateway);
    expect(await mustSucceed(gateway.chat('test/paid'))).toMatchObject({ usage: { is_byok: true, cost: 0 } });
  });

  it('an account without any: 402 for what costs, 404 for what can’t be served anyway', async () => {
    const gateway = await startMoneyGateway({ credits: 0n });
    expect(await blocked(gateway.chat('test/paid'))).toMatchObject({ status: 402 });
    expect(await blocked(gateway.chat('test/paid', { provider: { only: ['b'] } }))).toMatchObject({
      status: 404,
    });
  });
});
