import { describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../src/base/clock.js';
import { setSharedCredential } from '../../../src/byok/keys/operator-credential.js';
import { createVault } from '../../../src/byok/vault/vault.js';
import { windowEnd } from '../../../src/ledger/balance/windows.js';
import { demoModel } from '../../support/catalog.js';
import { FAKE_API_KEY, startFakeOpenAi } from '../../support/fakes/fake-openai.js';
import {
  blocked,
  COST_USD,
  expectSettled,
  keyRecord,
  type MoneyGateway,
  mustSucceed,
  startMoneyGateway,
} from '../../support/money.js';
import { bodyOf, type Row, recordOf, rowsOf } from '../../support/rest.js';

/** For what follows without a further request. */
const WAIT = { timeout: 10_000, interval: 20 };

const addByok = (gateway: MoneyGateway, body: object) => gateway.manage('POST', '/byok', body).then(recordOf);

describe('the BYOK fee', () => {
  const DEAR = { prompt: '0', completion: '0', request: '10000' };
  const models = [demoModel('test/dear', ['a'], { pricing: DEAR })];

  it('is 5 % of the amount above the month’s free allowance, split at its edge', async () => {
    const gateway = await startMoneyGateway({ models, credits: 10n ** 12n });
    await addByok(gateway, { provider: 'a', key: 'demo-echo-0123456789' });
    const fees = [];
    for (let count = 0; count < 4; count++) {
      const { id, usage } = await mustSucceed(gateway.chat('test/dear'));
      expect(usage).toMatchObject({ is_byok: true, cost_details: { upstream_inference_cost: 10_000 } });
      const generation = recordOf(await gateway.use('GET', `/generation?id=${id}`));
      expect(generation).toMatchObject({ is_byok: true, upstream_inference_cost: 10_000 });
      expect(generation.usage).toBe(generation.byok_fee);
      expect((usage as { cost: number }).cost).toBe(generation.byok_fee);
      fees.push(generation.byok_fee);
    }
    expect(fees).toEqual([0, 0, 250, 500]);
    expect(await keyRecord(gateway)).toMatchObject({ usage: 750, byok_usage: 40_000 });
    expect(recordOf(await gateway.manage('GET', '/credits'))).toEqual({
      total_credits: 1000,
      total_usage: 750,
    });
    await expectSettled(gateway);
  });

  it('without credits the keys are usable while the allowance lasts, then 402', async () => {
    const gateway = await startMoneyGateway({ models, credits: 0n });
    await addByok(gateway, { provider: 'a', key: 'demo-echo-0123456789' });
    for (let count = 0; count < 3; count++) await mustSucceed(gateway.chat('test/dear'));
    const resets_at = new Date(windowEnd('monthly', Date.now())).toISOString();
    const block = await blocked(gateway.chat('test/dear'));
    expect(block).toMatchObject({
      status: 402,
      reason: 'insufficient_credits',
      limit_usd: 25_000,
      interval: 'monthly',
      resets_at,
    });
    expect(block.message).toContain(
      `25000 USD monthly is used up: resets ${resets_at.replace(':00.000Z', 'Z')}, whoever`,
    );
  });
});

it('usage block, generation, key record, activity, credits and budget agree', async () => {
  const gateway = await startMoneyGateway();
  await gateway.manage('PUT', `/workspaces/${gateway.workspaceId}/budgets/lifetime`, {
    limit_usd: 5,
    include_byok_in_budgets: true,
  });
  const costs: { cost: number; list: number }[] = [];
  for (let count = 0; count < 8; count++) {
    if (count === 4) await addByok(gateway, { provider: 'a', key: 'demo-echo-0123456789' });
    const { id, usage } = await mustSucceed(gateway.chat('test/tokens'));
    const block = usage as {
      cost: number;
      prompt_tokens: number;
      completion_tokens: number;
      cost_details: Row;
    };
    const generation = recordOf(await gateway.use('GET', `/generation?id=${id}`));
    expect(generation).toMatchObject({
      usage: block.cost,
      upstream_inference_cost: block.cost_details.upstream_inference_cost,
      tokens_prompt: block.prompt_tokens,
      tokens_completion: block.completion_tokens,
      is_byok: count >= 4,
    });
    costs.push({ cost: block.cost, list: Number(block.cost_details.upstream_inference_cost) });
  }
  const nano = (usd: number) => Math.round(usd * 1e9);
  const usage = costs.reduce((sum, { cost }) => sum + nano(cost), 0) / 1e9;
  const byok = costs.reduce((sum, { list }) => sum + nano(list), 0) / 1e9;
  expect(byok).toBeGreaterThan(0);
  expect(await keyRecord(gateway)).toMatchObject({
    usage,
    usage_daily: usage,
    usage_weekly: usage,
    usage_monthly: usage,
    byok_usage: byok,
    byok_usage_daily: byok,
    byok_usage_weekly: byok,
    byok_usage_monthly: byok,
  });
  const activity = rowsOf(await gateway.manage('GET', '/activity'));
  expect(activity).toMatchObject([{ requests: 8, usage, byok_usage: byok }]);
  const [grouped = {}] = rowsOf(await gateway.manage('GET', '/activity?group_by=provider,user'));
  expect(grouped).toMatchObject({ provider: activity[0]?.provider, requests: 8, usage });
  for (const name of ['date', 'hour', 'model', 'workspace_id', 'api_key_hash', 'api']) {
    expect(grouped).not.toHaveProperty(name);
  }
  expect(recordOf(await gateway.manage('GET', '/credits'))).toMatchObject({ total_usage: usage });
  const budget = await gateway.manage('GET', `/workspaces/${gateway.workspaceId}/budgets/lifetime`);
  expect(recordOf(budget)).toMatchObject({ spent_usd: (nano(usage) + nano(byok)) / 1e9 });
});

/** A model at a fake OpenAI on shared capacity: 0.0001 USD per completion token. */
async function startStreaming(prices: object = {}, env: Record<string, string> = {}) {
  const fake = await startFakeOpenAi();
  const gateway = await startMoneyGateway({
    credits: 10n ** 12n,
    env,
    providers: [{ slug: 'openai', name: 'OpenAI', adapter: 'openai', base_url: fake.baseUrl }],
    models: [
      demoModel('openai/m', [{ provider: 'openai', upstream_model_id: 'gpt-m' }], {
        pricing: { prompt: '0', completion: '0.0001', ...prices },
      }),
    ],
  });
  const { stores, masterKeys } = gateway.gateway;
  await setSharedCredential(
    {
      store: stores.credentials,
      vault: createVault(masterKeys.keys),
      providers: { adapterOf: () => 'openai', slugs: () => ['openai'] },
      rules: { allowPrivateUpstreams: true },
      clock: systemClock,
    },
    'openai',
    FAKE_API_KEY,
  );
  return { fake, gateway };
}

interface Chunk {
  readonly choices: readonly { finish_reason: string | null; delta: { content?: string } }[];
  readonly usage?: { cost: number; completion_tokens: number };
}

function chunksOf(text: string): Chunk[] {
  const events = text.split('\n\n').filter((event) => event.startsWith('data: {'));
  return events.map((event) => JSON.parse(event.slice('data: '.length)));
}

/** A chunk with this many bytes of text, which the fake repeats. */
function endless(bytes: number) {
  const delta = { content: 'x'.repeat(bytes) };
  return {
    isEndless: true,
    chunks: [
      { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta }] },
    ],
  };
}

describe('a stream that exceeds its reservation', () => {
  it('extends it, and is ended as `length` where that is refused, with its usage and [DONE]', async () => {
    const { fake, gateway } = await startStreaming();
    fake.plan('gpt-m', endless(300));
    // 4,096 tokens cost 0.41 USD: the third block is admitted below the limit, the fourth is not.
    await gateway.manage('PATCH', `/keys/${gateway.apiKeyHash}`, { limit: 1 });
    const answer = await gateway.chat('openai/m', { stream: true });
    expect(answer.text.trimEnd().endsWith('data: [DONE]')).toBe(true);
    const chunks = chunksOf(answer.text);
    expect(chunks.at(-2)?.choices).toMatchObject([{ finish_reason: 'length' }]);
    const last = chunks.at(-1);
    expect(last?.choices).toEqual([]);
    expect(last?.usage?.cost).toBeLessThan(1 + 4_096 * 0.0001);
    expect(last?.usage?.cost).toBeGreaterThan(0.5);
    expect(await keyRecord(gateway)).toMatchObject({ usage: last?.usage?.cost });
    await vi.waitFor(() => expect(fake.aborts).toBe(1), WAIT);
    await expectSettled(gateway);
    const [generation] = rowsOf(await gateway.manage('GET', '/generations'));
    expect(generation).toMatchObject({ finish_reason: 'length', cancelled: false, usage: last?.usage?.cost });
  });

  it('that has max_tokens is never ended by the gateway: the reservation covers it', async () => {
    const { fake, gateway } = await startStreaming();
    const words = Array.from({ length: 300 }, () => 'wordwordwordword ');
    fake.plan('gpt-m', { words });
    await gateway.manage('PATCH', `/keys/${gateway.apiKeyHash}`, { limit: 0.01 });
    const chunks = chunksOf((await gateway.chat('openai/m', { stream: true, max_tokens: 300 })).text);
    expect(chunks.at(-2)?.choices).toMatchObject([{ finish_reason: 'stop' }]);
    expect(chunks.at(-1)?.usage).toMatchObject({ completion_tokens: 300, cost: 0.03 });
    await expectSettled(gateway);
  });
});

it('what was sent to a client before it disconnected is billed where it is cut, and nothing stays reserved', async () => {
  const { fake, gateway } = await startStreaming({}, { BYWAY_ON_DISCONNECT: 'cancel' });
  fake.plan('gpt-m', endless(40));
  const leaving = new AbortController();
  const answer = await fetch(`${gateway.rest}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'openai/m', messages: [{ role: 'user', content: 'Hi' }], stream: true }),
    signal: leaving.signal,
  });
  const reader = answer.body?.getReader();
  for (let count = 0; count < 3; count++) await reader?.read();
  leaving.abort();
  const generation = await vi.waitFor(async () => {
    const [row] = rowsOf(await gateway.manage('GET', '/generations'));
    expect(row).toMatchObject({ cancelled: true });
    return row;
  }, WAIT);
  expect(Number(generation?.usage)).toBeGreaterThan(0);
  expect(await keyRecord(gateway)).toMatchObject({ usage: generation?.usage });
  await vi.waitFor(() => expect(fake.aborts).toBe(1), WAIT);
  await expectSettled(gateway);
});

it('a stream that breaks bills what was produced, and ends with an error (fault table)', async () => {
  const { fake, gateway } = await startStreaming();
  fake.plan('gpt-m', { words: Array.from({ length: 60 }, () => 'word '), cutAfterBytes: 4_000 });
  const answer = await gateway.chat('openai/m', { stream: true });
  expect(answer.text).not.toContain('[DONE]');
  expect(chunksOf(answer.text).at(-1)?.choices).toMatchObject([{ finish_reason: 'error' }]);
  const [generation] = rowsOf(await gateway.manage('GET', '/generations'));
  expect(generation).toMatchObject({ finish_reason: 'error' });
  expect(Number(generation?.usage)).toBeGreaterThan(0);
  expect(await keyRecord(gateway)).toMatchObject({ usage: generation?.usage });
  await expectSettled(gateway);
});

it('an explicit zero of the provider stays zero, a missing count is estimated', async () => {
  const { fake, gateway } = await startStreaming();
  const choice = {
    index: 0,
    message: { role: 'assistant', content: 'x'.repeat(400) },
    finish_reason: 'stop',
  };
  const answer = { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices: [choice] };
  fake.plan('gpt-m', {
    answer: { ...answer, usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } },
  });
  expect(await mustSucceed(gateway.chat('openai/m'))).toMatchObject({
    usage: { completion_tokens: 0, cost: 0 },
  });
  fake.plan('gpt-m', { answer });
  expect(await mustSucceed(gateway.chat('openai/m'))).toMatchObject({
    usage: { completion_tokens: 100, cost: 0.01 },
  });
});

it('accounting after fallback: model, provider and price are those that served, a failed attempt costs nothing (fault table)', async () => {
  const gateway = await startMoneyGateway();
  const answer = await gateway.chat('test/failing', { models: ['test/paid'] });
  expect(bodyOf(answer)).toMatchObject({ model: 'test/paid', provider: 'a', usage: { cost: COST_USD } });
  const [generation] = rowsOf(await gateway.manage('GET', '/generations'));
  expect(generation).toMatchObject({
    model: 'test/paid',
    provider_responses: [{ status: 500 }, { status: 200 }],
  });
  expect(await keyRecord(gateway)).toMatchObject({ usage: COST_USD });
});

it('each image of an answer is billed at image_output, in one piece or streamed', async () => {
  const { fake, gateway } = await startStreaming({ image_output: '0.04' });
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
  const message = { role: 'assistant', content: '', images: [image, image] };
  const usage = { prompt_tokens: 1, completion_tokens: 10, total_tokens: 11 };
  const head = { id: 'c', object: 'chat.completion', created: 1, model: 'm' };
  fake.plan('gpt-m', {
    answer: { ...head, choices: [{ index: 0, message: message, finish_reason: 'stop' }], usage },
    chunks: [{ ...head, choices: [{ index: 0, delta: message, finish_reason: 'stop' }], usage }],
  });
  expect(await mustSucceed(gateway.chat('openai/m'))).toMatchObject({ usage: { cost: 0.081 } });
  const streamed = await gateway.chat('openai/m', { stream: true });
  expect(chunksOf(streamed.text).at(-1)?.usage).toMatchObject({ cost: 0.081 });
  await expectSettled(gateway);
});
