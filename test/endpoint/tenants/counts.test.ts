import { describe, expect, it } from 'vitest';
import { demoModel } from '../../support/catalog.js';
import { FAKE_API_KEY, startFakeAnthropic } from '../../support/fakes/fake-anthropic.js';
import { forAccount, type MoneyGateway, startMoneyGateway } from '../../support/money.js';
import { share } from '../../support/providers.js';
import { bodyOf, caller, recordOf, send } from '../../support/rest.js';

const MODEL = 'anthropic/claude';
const BODY = { model: MODEL, max_tokens: 10, messages: [{ role: 'user', content: 'Hello there' }] };

/** A gateway whose shared capacity is an Anthropic that counts. */
async function startCounting(credits?: bigint) {
  const fake = await startFakeAnthropic();
  const gateway = await startMoneyGateway({
    ...(credits !== undefined && { credits }),
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
    providers: [{ slug: 'claude', name: 'Claude', adapter: 'anthropic', base_url: fake.baseUrl }],
    models: [
      demoModel(MODEL, [{ provider: 'claude', upstream_model_id: 'claude-sonnet-4-6' }], {
        pricing: { prompt: '0.000003', completion: '0.000015' },
      }),
    ],
  });
  await share(gateway, 'claude', FAKE_API_KEY, 'anthropic');
  const asked = () => fake.requests.filter(({ path }) => path.endsWith('/count_tokens')).length;
  return { gateway, asked };
}

async function count({ use }: Pick<MoneyGateway, 'use'>, times = 1): Promise<readonly number[]> {
  const answers = [];
  for (let index = 0; index < times; index += 1) {
    const { status, text } = await use('POST', '/messages/count_tokens', BODY);
    answers.push({ status, text });
  }
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  return answers.map(({ text }) => JSON.parse(text).input_tokens);
}

/** What the metric has for this word. */
async function metered({ url, operatorKey }: MoneyGateway, by: string): Promise<number> {
  const text = (await send(`${url}/metrics`, 'GET', { headers: { authorization: `Bearer ${operatorKey}` } }))
    .text;
  const [, value = '0'] =
    new RegExp(`byway_token_counts_total\\{counted_by="${by}"\\} (\\d+)`).exec(text) ?? [];
  return Number(value);
}

describe('counts of prompts', () => {
  it('of an account that could not send the request itself are estimates: without credits', async () => {
    const { gateway, asked } = await startCounting(0n);
    expect((await gateway.use('POST', '/messages', BODY)).status).toBe(402);
    const counts = await count(gateway, 5);
    expect(counts.every((tokens) => tokens > 0)).toBe(true);
    expect(asked()).toBe(0);
    expect(await metered(gateway, 'estimate')).toBe(5);
  });

  it('of a key whose limit is reached are estimates', async () => {
    const { gateway, asked } = await startCounting();
    await gateway.chat('test/paid');
    await gateway.manage('PATCH', `/keys/${gateway.apiKeyHash}`, { limit: 0.005 });
    expect((await gateway.use('POST', '/messages', BODY)).status).toBeGreaterThanOrEqual(402);
    await count(gateway, 3);
    expect(asked()).toBe(0);
  });

  it('of a model that a guardrail forbids are refused as the request is', async () => {
    const { gateway, asked } = await startCounting();
    const made = await gateway.manage('POST', '/guardrails', { name: 'No', allowed_models: ['test/free'] });
    await gateway.manage('POST', `/guardrails/${recordOf(made).id}/assignments/keys`, {
      key_hashes: [gateway.apiKeyHash],
    });
    const request = await gateway.use('POST', '/messages', BODY);
    const counted = await gateway.use('POST', '/messages/count_tokens', BODY);
    expect(counted.status).toBe(request.status);
    expect(counted.status).toBeGreaterThanOrEqual(400);
    expect(bodyOf(counted).error).toMatchObject({ type: (bodyOf(request).error as { type: string }).type });
    expect(asked()).toBe(0);
  });

  it('take at most 60 a minute of shared capacity for a key, whatever it and other keys ask', async () => {
    const { gateway, asked } = await startCounting();
    await count(gateway, 100);
    expect(asked()).toBe(60);
    const other = forAccount(gateway, await gateway.addAccount());
    await count(other, 10);
    expect(asked()).toBe(70);
    expect([await metered(gateway, 'shared'), await metered(gateway, 'estimate')]).toEqual([70, 40]);
  });

  it('take at most 600 a minute of shared capacity for an account, however many keys it makes', async () => {
    const { gateway, asked } = await startCounting();
    for (let made = 0; made < 11; made += 1) {
      const { key } = bodyOf(await gateway.manage('POST', '/keys', { name: `Key ${made}` }));
      await count({ use: caller(gateway, String(key)) }, 60);
    }
    expect(asked()).toBe(600);
    await count(forAccount(gateway, await gateway.addAccount()), 10);
    expect(asked()).toBe(610);
  }, 60_000);

  it('with an own key are as many as the account asks for', async () => {
    const { gateway, asked } = await startCounting(0n);
    expect((await gateway.manage('POST', '/byok', { provider: 'claude', key: FAKE_API_KEY })).status).toBe(
      201,
    );
    await count(gateway, 80);
    expect(asked()).toBe(80);
    expect(await metered(gateway, 'byok')).toBe(80);
  });
});
