/** Timeouts that a request sets for itself: what they end after a provider has accepted it is charged as a cut. */
import { expect, it } from 'vitest';
import * as openai from '../../support/fakes/fake-openai.js';
import { expectSettled } from '../../support/money.js';
import { share } from '../../support/providers.js';
import { PRICES, PROMPT_TOKENS, record, send, startHost } from './hosts.fixture.js';

const REASONING = { model: { reasoning: { mandatory: true, supports_max_tokens: false } } };

/** Tokens of an answer of 1.2 s at the rate that is assumed where none is measured, less what it takes to begin. */
const PRODUCED = 0.4 * 1.2 * 250;

it.each([
  ['first_token', { stallAfter: 1 }, 'failed'],
  ['total', { stallAfter: 1 }, 'failed'],
  ['idle', { stallAfter: 6 }, 'ok'],
])(
  'a timeout of its own (%s) is no discount on what the provider has produced',
  async (timeout, plan, status) => {
    const gateway = await startHost('openai', 'shared capacity', REASONING);
    gateway.plan({ ...plan, isLeftOpen: true });
    send(gateway, 'REST', true, { max_tokens: 1_000, provider: { timeouts_ms: { [timeout]: 1_200 } } });
    const row = await record(gateway, 1);
    expect(row).toMatchObject({
      cancelled: false,
      status,
      finish_reason: 'error',
      counted_by: 'estimate',
      provider: 'host',
      provider_responses: [{ status: 200, error: 'timeout' }],
    });
    expect(Number(row.tokens_completion)).toBeGreaterThanOrEqual(PRODUCED);
    expect(Number(row.tokens_completion)).toBeLessThanOrEqual(1_000);
    expect(Number(row.usage)).toBeGreaterThan(PRODUCED * PRICES.completion);
    await expectSettled(gateway);
  },
);

it('an answer in one piece that its own total ends is charged once it was sent, over shared capacity', async () => {
  const gateway = await startHost('openai', 'shared capacity');
  gateway.plan({ delayMs: 3_000 });
  send(gateway, 'REST', false, { max_tokens: 1_000, provider: { timeouts_ms: { total: 1_200 } } });
  const row = await record(gateway, 1);
  expect(row).toMatchObject({ cancelled: false, status: 'failed', finish_reason: 'error', provider: 'host' });
  expect(Number(row.tokens_completion)).toBeGreaterThanOrEqual(PRODUCED);
  await expectSettled(gateway);
});

it('an own idle timeout between the last word and the usage leaves no reasoning out', async () => {
  const gateway = await startHost('openai', 'shared capacity', REASONING);
  // The role, three thoughts, four words and the finish.
  gateway.plan({ stallAfter: 9, paceMs: 100, isLeftOpen: true });
  send(gateway, 'REST', true, { max_tokens: 1_000, provider: { timeouts_ms: { idle: 300 } } });
  const row = await record(gateway, 1);
  expect(row).toMatchObject({
    cancelled: false,
    status: 'ok',
    finish_reason: 'stop',
    counted_by: 'estimate',
  });
  expect(Number(row.tokens_completion)).toBeGreaterThanOrEqual(0.4 * 250);
  await expectSettled(gateway);
});

it('a timeout of the operator charges nothing, however long the request would have waited', async () => {
  const gateway = await startHost('openai', 'shared capacity', {
    ...REASONING,
    env: { BYWAY_FIRST_TOKEN_TIMEOUT_MS: '1200' },
  });
  gateway.plan({ stallAfter: 1, isLeftOpen: true });
  send(gateway, 'REST', true, { max_tokens: 1_000, provider: { timeouts_ms: { first_token: 5_000 } } });
  expect(await record(gateway, 1)).toMatchObject({
    status: 'failed',
    finish_reason: 'error',
    provider: null,
    usage: 0,
    tokens_prompt: 0,
  });
  await expectSettled(gateway);
});

it('what the provider has told of the prompt counts where an own timeout ends its answer', async () => {
  const gateway = await startHost('anthropic', 'shared capacity');
  gateway.plan({ stallAfter: 2, isLeftOpen: true });
  send(gateway, 'REST', true, { provider: { timeouts_ms: { first_token: 600 } } });
  expect(await record(gateway, 1)).toMatchObject({
    status: 'failed',
    cancelled: false,
    tokens_prompt: PROMPT_TOKENS,
    usage: expect.toSatisfy((usd: number) => usd >= PROMPT_TOKENS * PRICES.prompt),
  });
  await expectSettled(gateway);
});

it('of an own key and shared capacity behind it, both ended by an own timeout, that which the operator pays is charged', async () => {
  const gateway = await startHost('openai', 'BYOK keys', REASONING);
  await share(gateway, 'host', openai.FAKE_API_KEY, 'openai');
  gateway.plan({ stallAfter: 1, isLeftOpen: true });
  send(gateway, 'REST', true, { max_tokens: 1_000, provider: { timeouts_ms: { first_token: 600 } } });
  const row = await record(gateway, 1);
  expect(row).toMatchObject({
    status: 'failed',
    is_byok: false,
    provider_responses: [
      { is_byok: true, status: 200, error: 'timeout' },
      { is_byok: false, status: 200, error: 'timeout' },
    ],
  });
  expect(Number(row.usage)).toBeGreaterThan(0.4 * 0.6 * 250 * PRICES.completion);
  await expectSettled(gateway);
});
