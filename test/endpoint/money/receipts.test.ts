/** Receipts over REST, of every way in which a request may end and be paid: `docs/money.md#receipts`. */
import { describe, expect, it } from 'vitest';
import { termsViolations } from '../../../src/store/maintenance/invariants.js';
import { demoModel } from '../../support/catalog.js';
import { startGateway } from '../../support/gateway.js';
import { COST_USD, type MoneyGateway, mustSucceed, startMoneyGateway } from '../../support/money.js';
import { receiptOf } from '../../support/receipts.js';
import { bodyOf, caller, type Row, recordOf, refusalOf, rowsOf } from '../../support/rest.js';

const PRICED = demoModel('test/priced', ['a'], {
  pricing: {
    prompt: '0.00000125',
    completion: '0.00001',
    request: '0.0000000004',
    image: '0',
    discount: 0.1,
    overrides: [
      { min_prompt_tokens: 1_000_000, prompt: '0.5' },
      { min_prompt_tokens: 0, prompt: '0.0000025' },
    ],
  },
});
const DEAR = demoModel('test/dear', ['a'], { pricing: { prompt: '0', completion: '0', request: '10000' } });

const addByok = (gateway: MoneyGateway) =>
  gateway.manage('POST', '/byok', { provider: 'a', key: 'demo-echo-0123456789' });

describe('the receipt of a request', () => {
  it('says at which prices its list price came about, after overrides and discount and before them', async () => {
    const gateway = await startMoneyGateway({ models: [PRICED] });
    const { id, usage } = await mustSucceed(gateway.chat('test/priced'));
    const { prompt_tokens: prompt, completion_tokens: completion } = usage as Record<string, number>;
    const record = recordOf(await gateway.use('GET', `/generation?id=${id}`));
    const receipt = await receiptOf(gateway.use, id);
    const entry = { id: expect.any(String), kind: 'credit_spend', amount_usd: receipt.list_price_usd };
    expect(receipt).toMatchObject({
      generation_id: id,
      at: record.created_at,
      model: 'test/priced',
      provider: 'a',
      endpoint: 'a/test/priced',
      is_byok: false,
      overrides_applied: [1],
      price_mode: null,
      multiplier: '1',
      discount: '0.1',
      counted_by: 'provider',
      fee: null,
      unbilled: false,
      charged_usd: receipt.list_price_usd,
      ledger_entries: [entry],
    });
    expect(receipt.lines).toMatchObject([
      { kind: 'prompt', quantity: prompt, unit_price_usd: '0.00000225', base_price_usd: '0.00000125' },
      { kind: 'completion', quantity: completion, unit_price_usd: '0.000009', base_price_usd: '0.00001' },
      { kind: 'request', quantity: 1, unit_price_usd: '0.00000000036', base_price_usd: '0.0000000004' },
    ]);
    expect(Number(receipt.list_price_usd)).toBe(record.usage);
    expect(Number(receipt.rounding_usd)).not.toBe(0);
  });

  it('is the same for whoever may read the generation, and for nobody else', async () => {
    const gateway = await startMoneyGateway();
    const { id } = await mustSucceed(gateway.chat('test/paid'));
    const receipt = await receiptOf(gateway.use, id);
    expect(await receiptOf(gateway.manage, id)).toEqual(receipt);
    expect(await receiptOf(gateway.use, `msg_${id}`)).toEqual(receipt);
    const { key } = bodyOf(await gateway.manage('POST', '/keys', { name: 'other' })) as { key: string };
    const other = caller(gateway, key);
    expect(refusalOf(await other('GET', `/generation/receipt?id=${id}`))).toEqual([404, 'not_found']);
    expect(refusalOf(await gateway.use('GET', '/generation/receipt?id=gen-none'))).toEqual([
      404,
      'not_found',
    ]);
    expect((await gateway.use('GET', '/generation/receipt')).status).toBe(400);
  });

  it('over an own key has a fee, on the part of the list price above the allowance that was left', async () => {
    const gateway = await startMoneyGateway({ models: [DEAR], credits: 10n ** 12n });
    await addByok(gateway);
    const fees: unknown[] = [];
    const charged: unknown[] = [];
    for (let count = 0; count < 4; count++) {
      const { id } = await mustSucceed(gateway.chat('test/dear'));
      const receipt = await receiptOf(gateway.use, id);
      expect(receipt).toMatchObject({ is_byok: true, list_price_usd: '10000' });
      fees.push(receipt.fee);
      charged.push([receipt.charged_usd, (receipt.ledger_entries as Row[]).map(({ kind }) => kind)]);
    }
    const fee = (left: string, on: string, amount: string) => ({
      rate: '0.05',
      allowance_left_before_usd: left,
      on_usd: on,
      amount_usd: amount,
    });
    expect(fees).toEqual([
      fee('25000', '0', '0'),
      fee('15000', '0', '0'),
      fee('5000', '5000', '250'),
      fee('0', '10000', '500'),
    ]);
    expect(charged).toEqual([
      ['0', ['byok_cost']],
      ['0', ['byok_cost']],
      ['250', ['byok_cost', 'byok_fee']],
      ['500', ['byok_cost', 'byok_fee']],
    ]);
  });

  it('over an own key has a fee of nothing where the request costs nothing', async () => {
    const gateway = await startMoneyGateway();
    await addByok(gateway);
    const { id } = await mustSucceed(gateway.chat('test/free'));
    expect(await receiptOf(gateway.use, id)).toMatchObject({
      fee: { rate: '0.05', allowance_left_before_usd: '25000', on_usd: '0', amount_usd: '0' },
      list_price_usd: '0',
      ledger_entries: [],
    });
  });

  it('that failed before anything was billed has no lines', async () => {
    const gateway = await startMoneyGateway();
    expect((await gateway.chat('test/failing')).status).toBeGreaterThanOrEqual(500);
    const [failed] = rowsOf(await gateway.manage('GET', '/generations'));
    expect(await receiptOf(gateway.use, failed?.id)).toMatchObject({
      model: 'test/failing',
      provider: null,
      endpoint: null,
      is_byok: false,
      lines: [],
      list_price_usd: '0',
      rounding_usd: '0',
      charged_usd: '0',
      counted_by: null,
      fee: null,
      ledger_entries: [],
    });
  });

  it('of which the list price is more than any request is charged says so by its rounding', async () => {
    const models = [
      demoModel('test/most', ['a'], { pricing: { prompt: '10000', completion: '10000', request: '10000' } }),
    ];
    const gateway = await startMoneyGateway({ models, credits: 10n ** 15n });
    const answer = await gateway.chat('test/most', {
      messages: [{ role: 'user', content: 'a word '.repeat(20) }],
    });
    const receipt = await receiptOf(gateway.use, (await mustSucceed(Promise.resolve(answer))).id);
    expect(receipt.list_price_usd).toBe('100000');
    expect(Number(receipt.rounding_usd)).toBeLessThan(-1);
  });

  it('from before receipts were kept is 404 no_receipt', async () => {
    const gateway = await startMoneyGateway();
    const { id } = await mustSucceed(gateway.chat('test/paid'));
    await gateway.gateway.database.transact([], (tx) =>
      tx.updateTable('generation').set({ terms_id: null }).execute(),
    );
    expect(refusalOf(await gateway.use('GET', `/generation/receipt?id=${id}`))).toEqual([404, 'no_receipt']);
    expect((await gateway.use('GET', `/generation?id=${id}`)).status).toBe(200);
  });

  it('with BYWAY_BILLING=off says the list price, and that nobody is charged', async () => {
    const gateway = await startMoneyGateway({ env: { BYWAY_BILLING: 'off' }, credits: 0n });
    const shared = await mustSucceed(gateway.chat('test/paid'));
    expect(await receiptOf(gateway.use, shared.id)).toMatchObject({
      list_price_usd: String(COST_USD),
      charged_usd: '0',
      unbilled: true,
      fee: null,
      ledger_entries: [{ kind: 'unbilled_spend', amount_usd: String(COST_USD) }],
    });
    await addByok(gateway);
    const own = await mustSucceed(gateway.chat('test/paid'));
    expect(await receiptOf(gateway.use, own.id)).toMatchObject({
      list_price_usd: String(COST_USD),
      charged_usd: '0',
      unbilled: true,
      fee: { rate: '0', allowance_left_before_usd: null, on_usd: '0', amount_usd: '0' },
      ledger_entries: [{ kind: 'unbilled_byok_cost' }],
    });
  });

  it('says what it said once prices are others, and once the ledger keeps its entries no more', async () => {
    const gateway = await startMoneyGateway({ models: [PRICED] });
    const { id } = await mustSucceed(gateway.chat('test/priced'));
    const before = await receiptOf(gateway.use, id);
    const { database } = gateway.gateway;
    await database.transact(['catalog'], async (tx) => {
      await tx.deleteFrom('catalog_model').where('id', '=', 'test/priced').execute();
    });
    expect(await receiptOf(gateway.use, id)).toEqual(before);
    await database.transact([], (tx) =>
      tx
        .insertInto('retention')
        .values({
          dropped_table: 'ledger_entry',
          dropped_before: Date.now() + 1_000,
          holder: '',
          held_until: 0,
        })
        .execute(),
    );
    expect(await receiptOf(gateway.use, id)).toEqual({ ...before, ledger_entries: [] });
    expect(await termsViolations(database)).toEqual([]);
  });
});

it('requests whose counts are estimated are counted, and marked in record, receipt and export', async () => {
  const models = [demoModel('test/slow-tokens', [{ provider: 'a', upstream_model_id: 'slow-20' }])];
  const gateway = await startMoneyGateway({ models, env: { BYWAY_ON_DISCONNECT: 'cancel' } });
  const controller = new AbortController();
  const response = await fetch(`${gateway.rest}/chat/completions`, {
    method: 'POST',
    signal: controller.signal,
    headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'test/slow-tokens',
      stream: true,
      messages: [{ role: 'user', content: 'one two three four five six seven eight nine ten' }],
    }),
  });
  const id = response.headers.get('x-generation-id');
  await response.body?.getReader().read();
  controller.abort();
  await expect.poll(async () => (await gateway.use('GET', `/generation?id=${id}`)).status).toBe(200);
  expect(recordOf(await gateway.use('GET', `/generation?id=${id}`)).counted_by).toBe('estimate');
  expect(await receiptOf(gateway.use, id)).toMatchObject({ counted_by: 'estimate' });
  expect((await gateway.manage('GET', '/generations/export')).text).toContain('"counted_by":"estimate"');
  const headers = { authorization: `Bearer ${gateway.operatorKey}` };
  const metrics = await (await fetch(`${gateway.url}/metrics`, { headers })).text();
  expect(metrics).toMatch(/^byway_estimated_requests_total\{provider="a"\} 1$/m);
});

it('a generation and its receipt go together once records are kept no longer', async () => {
  let now = Date.now();
  const started = await startGateway({
    env: { BYWAY_RETENTION_DAYS: '31' },
    clock: { now: () => now },
  });
  const use = caller(started, started.apiKey);
  const chat = async () => {
    const body = { model: 'test/m1', messages: [{ role: 'user', content: 'Hello' }] };
    return String((await use('POST', '/chat/completions', body)).headers['x-generation-id']);
  };
  const old = await chat();
  await receiptOf(use, old);
  now += 70 * 86_400_000;
  started.gateway.retention.start({ info: () => undefined, error: (fields) => expect(fields).toEqual({}) });
  const { query } = started.gateway.database;
  const kept = async () => (await query.selectFrom('billing_terms').select('id').execute()).length;
  await expect.poll(kept, { timeout: 20_000 }).toBe(0);
  expect(refusalOf(await use('GET', `/generation/receipt?id=${old}`))).toEqual([404, 'not_found']);
  await receiptOf(use, await chat());
  expect(await kept()).toBe(1);
});
