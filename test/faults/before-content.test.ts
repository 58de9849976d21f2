import { describe, expect, it } from 'vitest';
import { clockAt } from '../support/clock.js';
import type { FakePlan } from '../support/fakes/fake-openai/plan.js';
import { expectSettled, keyRecord } from '../support/money.js';
import {
  attempts,
  CASES,
  expectAnswerFrom,
  generation,
  startProviders,
  TOKEN_USD,
} from '../support/providers.js';

const LIMITED = { error: { message: 'Slow down', type: 'requests', code: 'rate_limit_exceeded' } };

/** Failures, and how the attempt is recorded. */
const FAILURES: readonly (readonly [string, FakePlan, string])[] = [
  ['429 with Retry-After, once', { status: 429, body: LIMITED, headers: { 'retry-after': '7' } }, '429 null'],
  ['500 once', { status: 500, body: { error: { message: 'Oops' } } }, '500 null'],
  ['503 of a proxy', { status: 503, body: '<html>busy</html>' }, '503 null'],
  ['TCP reset before headers', { reset: true }, 'null reset'],
  ['TCP reset after headers', { cutAfterBytes: 0 }, '200 reset'],
  ['no JSON', { answer: 'nonsense', chunks: ['{"choices":[{'] }, '200 malformed'],
];

describe.each(CASES)('fault table: before anything was sent, $mode over $capacity', ({ capacity, mode }) => {
  it('the next one serves at once, and the failed attempt costs nothing', async () => {
    const clock = clockAt('2026-03-04T12:00:00Z');
    const gateway = await startProviders(capacity, { clock });
    const price = Number((4 * TOKEN_USD.beta).toFixed(9));
    const isByok = capacity === 'BYOK keys';
    const charged = isByok
      ? { usage: 0, upstream_inference_cost: price, is_byok: true }
      : { usage: price, upstream_inference_cost: null, is_byok: false };
    for (const [name, plan, failed] of FAILURES) {
      gateway.alpha.plan('m', plan, {});
      const answer = await gateway.ask(mode);
      expectAnswerFrom(answer, 'beta');
      expect([name, ...(await attempts(gateway, answer))]).toEqual([
        name,
        `alpha ${failed}`,
        'beta 200 null',
      ]);
      expect(await generation(gateway, answer)).toMatchObject({
        provider: 'beta',
        provider_name: 'Provider beta',
        model: 'test/m',
        tokens_completion: 4,
        ...charged,
      });
      // The failed one is preferred again.
      clock.advance(60_000);
    }
    expect([gateway.alpha.requests.length, gateway.beta.requests.length]).toEqual([
      FAILURES.length,
      FAILURES.length,
    ]);
    const spent = Number((FAILURES.length * price).toFixed(9));
    expect(await keyRecord(gateway)).toMatchObject(
      isByok ? { usage: 0, byok_usage: spent } : { usage: spent, byok_usage: 0 },
    );
    await expectSettled(gateway);
  });

  it('permanent 429: each is called once, then 429 with the smallest Retry-After; no hot loop', async () => {
    const gateway = await startProviders(capacity);
    gateway.alpha.plan('m', { status: 429, body: LIMITED, headers: { 'retry-after': '9' } });
    gateway.beta.plan('m', { status: 429, body: LIMITED, headers: { 'retry-after': '7' } });
    const { status, headers, error } = await gateway.ask(mode);
    expect([status, headers['retry-after'], error?.metadata?.reason]).toEqual([
      429,
      '7',
      'upstream_rate_limited',
    ]);
    expect(error?.metadata?.provider_responses).toMatchObject([
      { provider: 'alpha', status: 429 },
      { provider: 'beta', status: 429 },
    ]);
    expect([gateway.alpha.requests.length, gateway.beta.requests.length]).toEqual([1, 1]);
    expect(await keyRecord(gateway)).toMatchObject({ usage: 0, byok_usage: 0 });
    await expectSettled(gateway);
  });

  it('permanent 503: 502 with every attempt listed', async () => {
    const gateway = await startProviders(capacity);
    for (const fake of [gateway.alpha, gateway.beta]) fake.plan('m', { status: 503 });
    const { status, error } = await gateway.ask(mode);
    expect([status, error?.metadata?.reason]).toEqual([502, 'upstream_failed']);
    expect(error?.metadata?.provider_responses).toMatchObject([
      { provider: 'alpha', status: 503, is_byok: capacity === 'BYOK keys' },
      { provider: 'beta', status: 503 },
    ]);
    await expectSettled(gateway);
  });

  const message = "This model's maximum context length is 8192 tokens.";
  const tooLong = { status: 400, body: { error: { message, code: 'context_length_exceeded' } } };

  it('context length: each endpoint is called once, then the next model serves', async () => {
    const gateway = await startProviders(capacity);
    for (const fake of [gateway.alpha, gateway.beta]) fake.plan('m', tooLong);
    const answer = await gateway.ask(mode, { models: ['test/m', 'test/n'] });
    expectAnswerFrom(answer, 'alpha');
    expect(answer.model).toBe('test/n');
    expect(await attempts(gateway, answer)).toEqual(['alpha 400 null', 'beta 400 null', 'alpha 200 null']);
  });

  it('context length everywhere: 400 with the provider’s own limit', async () => {
    const gateway = await startProviders(capacity);
    for (const fake of [gateway.alpha, gateway.beta]) {
      fake.plan('m', tooLong);
      fake.plan('n', tooLong);
    }
    const { status, error } = await gateway.ask(mode, { models: ['test/n'] });
    expect([status, error?.message]).toEqual([
      400,
      expect.stringContaining('maximum context length is 8192'),
    ]);
    expect(error?.metadata).toMatchObject({ reason: 'context_length_exceeded', context_length: 8192 });
    expect(error?.metadata?.provider_responses).toHaveLength(4);
    await expectSettled(gateway);
  });

  it('content filter: passed on as such, no other provider is called, and the breaker counts no failure', async () => {
    const gateway = await startProviders(capacity);
    gateway.alpha.plan('m', {
      status: 400,
      body: { error: { message: 'Not that.', code: 'content_filter' } },
    });
    for (let count = 0; count < 4; count++) {
      const { status, error } = await gateway.ask(mode, { models: ['test/n'] });
      expect([status, error?.message, error?.metadata?.reason]).toEqual([400, 'Not that.', 'content_filter']);
    }
    expect([gateway.alpha.requests.length, gateway.beta.requests.length]).toEqual([4, 0]);
    await expectSettled(gateway);
  });
});
