import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { chargeViolations } from '../../../src/store/maintenance/invariants.js';
import { usageViolations } from '../../../src/store/usage/usage-check.js';
import { demoModel } from '../../support/catalog.js';
import { temporaryDatabaseUrl, usualKind } from '../../support/database.js';
import { launchGateway, type TestAccount } from '../../support/gateway.js';
import {
  blocked,
  COST_USD,
  expectSettled,
  forAccount,
  keyRecord,
  type MoneyGateway,
  moneyCatalog,
  mustSucceed,
  startMoneyGateway,
} from '../../support/money.js';
import { recordOf, rowsOf } from '../../support/rest.js';

const OFF = { BYWAY_BILLING: 'off' };
const DEAR = demoModel('test/dear', ['a'], { pricing: { prompt: '0', completion: '0', request: '10000' } });

async function expectSound(gateway: MoneyGateway) {
  await expectSettled(gateway);
  expect(await chargeViolations(gateway.gateway.database)).toEqual([]);
  expect(await usageViolations(gateway.gateway.database)).toEqual([]);
}

const kindsOf = async ({ gateway }: MoneyGateway) =>
  (
    await gateway.database.query.selectFrom('ledger_entry').select('kind').orderBy('created_at').execute()
  ).map(({ kind }) => kind);

describe('with BYWAY_BILLING=off', () => {
  it('nobody is excluded for credits, and use of shared capacity is recorded at list price, everywhere alike', async () => {
    const gateway = await startMoneyGateway({ credits: 0n, env: OFF });
    const { id, usage } = await mustSucceed(gateway.chat('test/paid'));
    expect(usage).toMatchObject({ cost: COST_USD, is_byok: false });
    expect(recordOf(await gateway.use('GET', `/generation?id=${id}`))).toMatchObject({
      usage: COST_USD,
      byok_fee: 0,
    });
    expect(await keyRecord(gateway)).toMatchObject({ usage: COST_USD, usage_daily: COST_USD });
    expect(rowsOf(await gateway.manage('GET', '/activity'))).toMatchObject([
      { requests: 1, usage: COST_USD },
    ]);
    expect(await kindsOf(gateway)).toEqual(['unbilled_spend']);
    await expectSound(gateway);
  });

  it('GET /credits has no credits: null, and all that was used', async () => {
    const gateway = await startMoneyGateway({ env: OFF });
    await mustSucceed(gateway.chat('test/paid'));
    expect(recordOf(await gateway.manage('GET', '/credits'))).toEqual({
      total_credits: null,
      total_usage: COST_USD,
    });
  });

  it('BYOK keys cost no fee and use nothing of the allowance, and their list price is recorded as ever', async () => {
    const gateway = await startMoneyGateway({ credits: 0n, models: [DEAR], env: OFF });
    await gateway.manage('POST', '/byok', { provider: 'a', key: 'demo-echo-0123456789' });
    for (let count = 0; count < 4; count++) {
      const { usage } = await mustSucceed(gateway.chat('test/dear'));
      expect(usage).toMatchObject({
        cost: 0,
        is_byok: true,
        cost_details: { upstream_inference_cost: 10_000 },
      });
    }
    expect(await keyRecord(gateway)).toMatchObject({ usage: 0, byok_usage: 40_000 });
    expect(new Set(await kindsOf(gateway))).toEqual(new Set(['unbilled_byok_cost']));
    await expectSound(gateway);
  });

  it('limits of keys and budgets hold as ever', async () => {
    const gateway = await startMoneyGateway({ credits: 0n, env: OFF });
    await gateway.manage('PATCH', `/keys/${gateway.apiKeyHash}`, { limit: 2 * COST_USD });
    for (let count = 0; count < 2; count++) await mustSucceed(gateway.chat('test/paid'));
    expect(await blocked(gateway.chat('test/paid'))).toMatchObject({
      status: 403,
      reason: 'key_limit_exceeded',
    });
    await gateway.manage('PATCH', `/keys/${gateway.apiKeyHash}`, { limit: null });
    await gateway.manage('PUT', `/workspaces/${gateway.workspaceId}/budgets/daily`, { limit_usd: 0.02 });
    expect(await blocked(gateway.chat('test/paid'))).toMatchObject({
      status: 403,
      reason: 'workspace_budget_exceeded',
    });
    await expectSound(gateway);
  });

  it('what was used is never charged, also once it is switched on again', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'byway-billing-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const catalog = moneyCatalog([DEAR]);
    const start = async (billing: string, account?: TestAccount, credits = 10n ** 10n) => {
      const env = {
        BYWAY_BILLING: billing,
        BYWAY_DATA_DIR: dataDir,
        BYWAY_DATABASE_URL: `sqlite:${dataDir}/db`,
      };
      const started = await launchGateway({ env, catalog, credits });
      const { accountId, workspaceId, ownerUserId, managementKey, apiKey, apiKeyHash } = account ?? started;
      const own = { accountId, workspaceId, ownerUserId, managementKey, apiKey, apiKeyHash };
      return { gateway: forAccount(started, own), stop: started.stop };
    };
    const off = await start('off');
    for (let count = 0; count < 3; count++) await mustSucceed(off.gateway.chat('test/paid'));
    await off.gateway.manage('POST', '/byok', { provider: 'a', key: 'demo-echo-0123456789' });
    for (let count = 0; count < 4; count++) await mustSucceed(off.gateway.chat('test/dear'));
    await off.stop();
    const on = await start('on', off.gateway);
    expect(recordOf(await on.gateway.manage('GET', '/credits'))).toEqual({
      total_credits: 10,
      total_usage: 0,
    });
    const { usage } = await mustSucceed(on.gateway.chat('test/dear'));
    expect(usage, 'the whole allowance is left').toMatchObject({ cost: 0, is_byok: true });
    expect(await keyRecord(on.gateway)).toMatchObject({ usage: 3 * COST_USD, byok_usage: 50_000 });
    await expectSound(on.gateway);
    // A lost table of totals is rebuilt from the ledger.
    const { database } = on.gateway.gateway;
    await database.transact([], (tx) => tx.deleteFrom('spend_total').execute());
    await on.stop();
    const again = await start('on', off.gateway);
    expect(recordOf(await again.gateway.manage('GET', '/credits'))).toEqual({
      total_credits: 10,
      total_usage: 0,
    });
    await expectSound(again.gateway);
    await again.stop();
  });

  it('a tool without a price passes on shared capacity, and is refused there where it is billed', async () => {
    const search = { tools: [{ type: 'web_search_20250305', name: 'web_search' }] };
    const on = await startMoneyGateway();
    const refused = await on.chat('test/tokens', search);
    const off = await startMoneyGateway({ env: OFF, credits: 0n });
    const passed = await off.chat('test/tokens', search);
    expect([refused.status, passed.status]).toEqual([400, 200]);
    await off.manage('PATCH', `/keys/${off.apiKeyHash}`, { limit: 100 });
    expect(
      (await off.chat('test/tokens', search)).status,
      'a limit applies, and nothing bounds the tool',
    ).toBe(400);
  });

  it('an account may be without shared capacity; its own keys serve', async () => {
    const gateway = await startMoneyGateway({ env: OFF });
    const { accounts } = gateway.gateway.stores;
    await accounts.changeAccount(gateway.accountId, { hasSharedCapacity: false });
    const refused = await blocked(gateway.chat('test/paid'));
    expect(refused).toMatchObject({ status: 404, reasons: { no_shared_capacity: 1 } });
    await gateway.manage('POST', '/byok', { provider: 'a', key: 'demo-echo-0123456789' });
    await mustSucceed(gateway.chat('test/paid'));
    await accounts.changeAccount(gateway.accountId, { hasSharedCapacity: true });
  });

  it('metrics say that nothing is billed', async () => {
    const gateway = await startMoneyGateway({ env: OFF });
    const { server, operatorKey } = gateway;
    const headers = { authorization: `Bearer ${operatorKey}` };
    expect((await server.inject({ url: '/metrics', headers })).body).toContain('\nbyway_billing 0\n');
  });
});

describe.runIf(usualKind() === 'postgres')('two processes that differ in BYWAY_BILLING', () => {
  const startTwo = async (credits: bigint) => {
    const env = {
      BYWAY_DATABASE_URL: await temporaryDatabaseUrl('postgres'),
      BYWAY_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
      BYWAY_RESERVATION_WAIT_MS: '0',
    };
    const on = await startMoneyGateway({ credits, env });
    return { on, off: forAccount(await startMoneyGateway({ env: { ...env, ...OFF } }), on) };
  };

  it('each bill what they admit: requests of the one without are never charged', async () => {
    const { on, off } = await startTwo(10n ** 10n);
    for (const gateway of [on, off, on, off, off]) await mustSucceed(gateway.chat('test/paid'));
    expect(await kindsOf(on)).toEqual(
      expect.arrayContaining([...Array(2).fill('credit_spend'), ...Array(3).fill('unbilled_spend')]),
    );
    expect(recordOf(await on.manage('GET', '/credits'))).toEqual({
      total_credits: 10,
      total_usage: 2 * COST_USD,
    });
    expect(recordOf(await off.manage('GET', '/credits'))).toEqual({
      total_credits: null,
      total_usage: 5 * COST_USD,
    });
    expect((await keyRecord(on)).usage, 'limits of the key count both').toBe(5 * COST_USD);
    await expectSound(on);
  });

  it('what the one without has reserved counts against the credits in the other until it ends', async () => {
    const { on, off } = await startTwo(10n ** 7n);
    const messages = [{ role: 'user', content: 'slowly '.repeat(600) }];
    const running = off.chat('test/slow', { messages });
    const { query } = on.gateway.database;
    const reserved = () => query.selectFrom('reservation').select('id').execute();
    await vi.waitFor(async () => expect(await reserved()).toHaveLength(1), { timeout: 10_000, interval: 10 });
    expect(await blocked(on.chat('test/paid'))).toMatchObject({
      status: 429,
      reason: 'limit_reserved',
    });
    await mustSucceed(off.chat('test/paid'));
    await mustSucceed(running);
    await mustSucceed(on.chat('test/paid'));
    expect((await kindsOf(on)).filter((kind) => kind === 'credit_spend')).toHaveLength(1);
    expect(await blocked(on.chat('test/paid'))).toMatchObject({ status: 402 });
    await mustSucceed(off.chat('test/paid'));
    await expectSound(on);
  });
});

describe('a closed account', () => {
  it('has every one of its keys refused with the reason, and served again once it is reopened', async () => {
    const gateway = await startMoneyGateway();
    const { accounts } = gateway.gateway.stores;
    await mustSucceed(gateway.chat('test/paid'));
    await accounts.changeAccount(gateway.accountId, { closedAt: Date.now() });
    expect(await blocked(gateway.chat('test/paid'))).toMatchObject({ status: 401, reason: 'account_closed' });
    expect(await blocked(gateway.manage('GET', '/credits'))).toMatchObject({ reason: 'account_closed' });
    await accounts.changeAccount(gateway.accountId, { closedAt: null });
    await mustSucceed(gateway.chat('test/paid'));
    expect(rowsOf(await gateway.manage('GET', '/activity'))).toMatchObject([{ requests: 2 }]);
  });
});
