/** A gateway whose models have prices, for tests of limits. */
import { expect, onTestFinished, vi } from 'vitest';
import { totalsViolations } from '../../src/store/ledger/totals.js';
import { demoModel, demoProvider, type TestCatalog } from './catalog.js';
import { startGateway, type TestAccount, type TestGateway, type TestGatewayOptions } from './gateway.js';
import { type Answer, bodyOf, type Call, caller, type Row, recordOf } from './rest.js';

/** `test/paid` costs 0.01 USD per request and nothing else; `test/free` nothing; `test/slow` as `test/paid`, but slowly. */
export const COST_USD = 0.01;
const FLAT = { prompt: '0', completion: '0', request: String(COST_USD) };

/** Options of a gateway for tests of limits. */
export function moneyCatalog(models: readonly object[] = [], providers: readonly object[] = []): TestCatalog {
  return {
    providers: [...['a', 'b'].map((slug) => demoProvider(slug)), ...providers],
    models: [
      demoModel('test/paid', ['a'], { pricing: FLAT }),
      demoModel('test/slow', [{ provider: 'a', upstream_model_id: 'slow-5' }], { pricing: FLAT }),
      demoModel('test/failing', [{ provider: 'a', upstream_model_id: 'status-500' }], { pricing: FLAT }),
      demoModel('test/free', ['a'], { pricing: { prompt: '0', completion: '0' } }),
      demoModel('test/free-failing', [{ provider: 'a', upstream_model_id: 'status-500' }], {
        pricing: { prompt: '0', completion: '0' },
      }),
      demoModel('test/tokens', ['a'], { pricing: { prompt: '0.000001', completion: '0.001' } }),
      ...models,
    ],
  };
}

/** The gateway with calls for its keys. */
export interface MoneyGateway extends TestGateway {
  readonly manage: Call;
  readonly use: Call;
  /** A chat with the account's API key, or another one. */
  chat(model: string, more?: object, key?: string): Promise<Answer>;
}

/** Starts one that ends with the test. */
export async function startMoneyGateway(
  options: Omit<TestGatewayOptions, 'catalog'> & Partial<TestCatalog> = {},
): Promise<MoneyGateway> {
  const { models = [], providers = [], ...others } = options;
  const gateway = await startGateway({
    ...others,
    catalog: moneyCatalog(models, providers),
    env: { BYWAY_ADMIN_RATE_PER_MINUTE: '0', ...options.env },
  });
  return forAccount(gateway, gateway);
}

/** The gateway as another of its accounts has it. */
export function forAccount(gateway: TestGateway, account: TestAccount): MoneyGateway {
  return {
    ...gateway,
    ...account,
    manage: caller(gateway, account.managementKey),
    use: caller(gateway, account.apiKey),
    chat: (model, more = {}, key = account.apiKey) =>
      caller(gateway, key)('POST', '/chat/completions', {
        model,
        messages: [{ role: 'user', content: 'Hello there' }],
        ...more,
      }),
  };
}

/** A chat that must succeed; its body. */
export async function mustSucceed(answer: Promise<Answer>): Promise<Row> {
  const got = await answer;
  expect([got.status, got.text]).toEqual([200, expect.anything()]);
  return got.headers['content-type']?.startsWith('application/json') ? bodyOf(got) : {};
}

/** The error of a blocked chat: status, reason, message, and the metadata of the limit. */
export async function blocked(answer: Promise<Answer>): Promise<Row> {
  const got = await answer;
  const { code, message, metadata } = bodyOf(got).error as { code: number; message: string; metadata: Row };
  expect(code).toBe(got.status);
  return { status: got.status, message, ...metadata };
}

/** The record of the account's API key. */
export async function keyRecord({ use }: Pick<MoneyGateway, 'use'>): Promise<Row> {
  return recordOf(await use('GET', '/key'));
}

/** Counts the requests that the gateway admits from now on. */
export function countAdmitted({ gateway }: Pick<TestGateway, 'gateway'>): () => number {
  const reserve = vi.spyOn(gateway.stores.ledger, 'reserve');
  onTestFinished(() => reserve.mockRestore());
  return () =>
    reserve.mock.settledResults.filter(({ type, value }) => type === 'fulfilled' && value.kind === 'admitted')
      .length;
}

/** Checks that nothing is reserved, and that the totals are those of the ledger. */
export async function expectSettled({ gateway }: Pick<TestGateway, 'gateway'>): Promise<void> {
  const { query } = gateway.database;
  // It resolves to the number of those that were left.
  expect(await gateway.stores.ledger.sweep(Number.MAX_SAFE_INTEGER)).toBe(0);
  expect(await query.selectFrom('reservation').selectAll().execute()).toEqual([]);
  const held = await query
    .selectFrom('spend_total')
    .where('reserved_sum_nano_usd', '!=', 0n)
    .selectAll()
    .execute();
  expect(held).toEqual([]);
  expect(await totalsViolations(gateway.database)).toEqual([]);
}

/** Sends the same chat many times at once and returns how many succeeded; all others must be blocked with this error. */
export async function parallel(
  count: number,
  chat: () => Promise<Answer>,
  block: { readonly status: number; readonly reason: string },
): Promise<number> {
  const answers = await Promise.all(Array.from({ length: count }, chat));
  const refused = answers.filter(({ status }) => status !== 200);
  for (const answer of refused) expect(await blocked(Promise.resolve(answer))).toMatchObject(block);
  return count - refused.length;
}
