/** What cuts an answer that is finished without its client, and what a cut costs. */
import { expect, it, vi } from 'vitest';
import { MAX_FINISHING_OF_KEY } from '../../../src/inference/leaving/departures.js';
import { expectSettled } from '../../support/money.js';
import { recordOf, rowsOf } from '../../support/rest.js';
import { PRICES, PROMPT_TOKENS, record, send, startHost, written } from './hosts.fixture.js';

const WAIT = { timeout: 8_000, interval: 10 };

/** Plain text of four characters a token. */
const PLAIN = Array.from({ length: 400 }, () => ' fox');

it('is cut when its API key is disabled, and charged for what the provider has told and sent', async () => {
  const gateway = await startHost('anthropic', 'shared capacity');
  gateway.plan({ words: PLAIN, paceMs: 2, stallAfter: 203, isLeftOpen: true });
  const reached = written(gateway, 20);
  const sent = send(gateway, 'REST', true);
  await reached;
  sent.cancel();
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(rowsOf(await gateway.manage('GET', '/generations'))).toEqual([]);
  await gateway.manage('PATCH', `/keys/${gateway.apiKeyHash}`, { disabled: true });
  const row = await record(gateway, 1);
  expect(row).toMatchObject({
    cancelled: true,
    counted_by: 'estimate',
    tokens_prompt: PROMPT_TOKENS,
    // 200 words, of which it has told none.
    tokens_completion: expect.toSatisfy((tokens: number) => tokens >= 200 && tokens <= 220),
  });
  await vi.waitFor(() => expect(gateway.fake.aborts).toBe(1), WAIT);
  await expectSettled(gateway);
});

it('is cut where its key has no place left: the eleventh of a key, which is charged at once', async () => {
  const gateway = await startHost('openai', 'shared capacity');
  gateway.plan({ paceMs: 400 });
  const all = Array.from({ length: MAX_FINISHING_OF_KEY + 1 }, () => send(gateway, 'REST', true));
  await Promise.all(all.map(({ begun }) => begun));
  for (const sent of all) sent.cancel();
  const rows = await vi.waitFor(async () => {
    const found = rowsOf(await gateway.manage('GET', '/generations?limit=100'));
    expect(found).toHaveLength(MAX_FINISHING_OF_KEY + 1);
    return found;
  }, WAIT);
  const counted = rows.map(({ counted_by }) => counted_by).sort();
  expect(counted).toEqual(['estimate', ...Array(MAX_FINISHING_OF_KEY).fill('provider')]);
  expect(gateway.fake.aborts).toBe(1);
  await expectSettled(gateway);
});

it('a request over an own key says that it is to be finished; over shared capacity none says that it is to be cut', async () => {
  const [own, shared] = [
    await startHost('openai', 'BYOK keys'),
    await startHost('openai', 'shared capacity'),
  ];
  for (const [gateway, on_disconnect] of [
    [own, 'finish'],
    [shared, 'cancel'],
  ] as const) {
    gateway.plan({ paceMs: 30 });
    const reached = written(gateway, 3);
    const sent = send(gateway, 'REST', true, { provider: { on_disconnect } });
    await reached;
    sent.cancel();
    expect(await record(gateway, 1)).toMatchObject({ cancelled: true, counted_by: 'provider' });
    expect(gateway.fake.aborts).toBe(0);
  }
});

it('takes no other word for on_disconnect, in a chat, a message or explain', async () => {
  const gateway = await startHost('openai', 'shared capacity');
  const request = { model: 'test/m', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] };
  for (const path of ['/chat/completions', '/messages', '/routing/explain']) {
    const refused = await gateway.use('POST', path, {
      ...(path === '/routing/explain' ? { model: 'test/m' } : request),
      provider: { on_disconnect: 'drain' },
    });
    expect([path, refused.status, refused.text]).toEqual([
      path,
      400,
      expect.stringContaining('provider.on_disconnect'),
    ]);
  }
  const explained = await gateway.use('POST', '/routing/explain', {
    model: 'test/m',
    provider: { on_disconnect: 'finish' },
  });
  expect([explained.status, recordOf(explained)]).toEqual([200, expect.anything()]);
});

it('reasoning that is not shown is charged by time, within what was reserved', async () => {
  const gateway = await startHost('openai', 'BYOK keys', {
    model: { reasoning: { mandatory: true, supports_max_tokens: false } },
  });
  gateway.plan({ stallAfter: 1 });
  const sent = send(gateway, 'REST', true, { max_tokens: 200 });
  await written(gateway, 1).catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  sent.cancel();
  const row = await record(gateway, 1);
  expect(row).toMatchObject({
    cancelled: true,
    counted_by: 'estimate',
    tokens_completion: 200,
  });
  const prompt = Number(row.tokens_prompt);
  expect(prompt).toBeGreaterThanOrEqual('Hello there'.length);
  expect(Number(row.upstream_inference_cost)).toBeCloseTo(
    prompt * PRICES.prompt + 200 * PRICES.completion,
    9,
  );
});

it('a client that leaves while it reads nothing has its answer finished too', async () => {
  const gateway = await startHost('openai', 'shared capacity');
  const words = Array.from({ length: 1_500 }, () => ' word'.repeat(1_000));
  gateway.plan({ words });
  const leaving = new AbortController();
  const answer = await fetch(`${gateway.rest}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'test/m',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
      max_tokens: 2_000,
    }),
    signal: leaving.signal,
  });
  await answer.body?.getReader().read();
  await new Promise((resolve) => setTimeout(resolve, 300));
  leaving.abort();
  expect(await record(gateway, 1)).toMatchObject({ counted_by: 'provider', tokens_completion: 1_503 });
  await expectSettled(gateway);
});
