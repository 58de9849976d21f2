import { describe, expect, it } from 'vitest';
import { clockAt } from '../../support/clock.js';
import { guardrail, setLimit, workspaceBudget } from '../../support/limits.js';
import { type MoneyGateway, startMoneyGateway } from '../../support/money.js';
import { bodyOf, type Row, recordOf } from '../../support/rest.js';

/** What the explanation for a management key says of the caller, beside the route. */
async function explained({ manage, apiKeyHash }: MoneyGateway): Promise<Row> {
  const answer = await manage('POST', '/routing/explain', { model: 'test/paid', api_key_hash: apiKeyHash });
  return recordOf(answer);
}

/** The reason and message of a chat's refusal, and the rest of its metadata. */
async function chatRefusal(gateway: MoneyGateway, key?: string): Promise<{ refused: Row; metadata: Row }> {
  const answer = await gateway.chat('test/paid', {}, key);
  expect(answer.status).toBeGreaterThanOrEqual(400);
  const { message, metadata } = (bodyOf(answer) as { error: { message: string; metadata: Row } }).error;
  const { reason, ...rest } = metadata;
  return { refused: { reason, message }, metadata: rest };
}

const SPENT = { limit_usd: 0.01 };

describe('F26: the explanation refuses what a chat would be refused', () => {
  it.each<[string, (gateway: MoneyGateway) => Promise<unknown>, string]>([
    [
      'a disabled key',
      ({ manage, apiKeyHash }) => manage('PATCH', `/keys/${apiKeyHash}`, { disabled: true }),
      'api_key_disabled',
    ],
    ['a spent limit of the key', (gateway) => setLimit(gateway, { limit: 0 }), 'key_limit_exceeded'],
    [
      'a spent budget of a guardrail',
      async (gateway) => {
        await guardrail(gateway, SPENT, 'key');
        await gateway.chat('test/paid');
      },
      'guardrail_budget_exceeded',
    ],
    [
      'a spent budget of the workspace',
      async (gateway) => {
        await workspaceBudget(gateway, 'monthly', SPENT);
        await gateway.chat('test/paid');
      },
      'workspace_budget_exceeded',
    ],
  ])('%s', async (_, arrange, reason) => {
    const gateway = await startMoneyGateway();
    expect((await explained(gateway)).refused).toBeNull();
    await arrange(gateway);
    const { refused } = await chatRefusal(gateway);
    expect(refused.reason).toBe(reason);
    const route = await explained(gateway);
    expect(route.refused).toEqual(refused);
    expect(route.attempts).toHaveLength(1);
  });

  it('an expired key', async () => {
    const clock = clockAt(Date.UTC(2026, 0, 5));
    const gateway = await startMoneyGateway({ clock });
    const key = { name: 'Short', expires_at: '2026-01-06T00:00:00Z' };
    const { key: secret, data } = bodyOf(await gateway.manage('POST', '/keys', key));
    clock.set(Date.UTC(2026, 0, 7));
    const { refused } = await chatRefusal(gateway, String(secret));
    expect(refused).toEqual({ reason: 'api_key_expired', message: 'API key has expired' });
    const apiKeyHash = String((data as Row).hash);
    expect(await explained({ ...gateway, apiKeyHash })).toMatchObject({ refused });
  });

  it('also where the key itself asks', async () => {
    const gateway = await startMoneyGateway();
    await setLimit(gateway, { limit: 0 });
    const route = recordOf(await gateway.use('POST', '/routing/explain', { model: 'test/paid' }));
    expect(route.refused).toMatchObject({ reason: 'key_limit_exceeded' });
  });
});

describe('F27: a refusal for money names whose limit is reached, with its id and interval', () => {
  it('of a key', async () => {
    const gateway = await startMoneyGateway();
    await setLimit(gateway, { limit: 0, limit_reset: 'daily' });
    const { metadata } = await chatRefusal(gateway);
    expect(metadata).toMatchObject({ id: gateway.apiKeyHash, name: expect.any(String), interval: 'daily' });
  });

  it('of a guardrail', async () => {
    const gateway = await startMoneyGateway();
    const { id } = await guardrail(
      gateway,
      { ...SPENT, name: 'Careful', reset_interval: 'weekly' },
      'member',
    );
    await gateway.chat('test/paid');
    const { refused, metadata } = await chatRefusal(gateway);
    expect(refused.message).toContain('"Careful"');
    expect(metadata).toMatchObject({ id, name: 'Careful', interval: 'weekly' });
  });

  it('of a workspace', async () => {
    const gateway = await startMoneyGateway();
    const { name } = recordOf(await gateway.manage('GET', `/workspaces/${gateway.workspaceId}`));
    await workspaceBudget(gateway, 'monthly', SPENT);
    await gateway.chat('test/paid');
    const { refused, metadata } = await chatRefusal(gateway);
    expect(refused.message).toContain(`the workspace ${JSON.stringify(name)} may spend 0.01 USD monthly`);
    expect(metadata).toMatchObject({ id: gateway.workspaceId, name, interval: 'monthly' });
  });
});
