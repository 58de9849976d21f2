import { describe, expect, it } from 'vitest';
import { FAILURES_TO_COOL, FIRST_COOLING_MS } from '../../src/routing/health/failure-record.js';
import { clockAt } from '../support/clock.js';
import { FAKE_API_KEY } from '../support/fakes/fake-openai.js';
import {
  addKey,
  attempts,
  CAPACITIES,
  CASES,
  expectAnswerFrom,
  FEW_CASES,
  type ProvidersGateway,
  startProviders,
} from '../support/providers.js';
import { type Row, recordOf } from '../support/rest.js';

const SECOND = 1_000;
const START = '2026-03-04T12:00:00Z';

/** The attempts of explain, as provider and health, with `until` in seconds from the start. */
async function healths(gateway: ProvidersGateway): Promise<string[]> {
  const { attempts } = recordOf(await gateway.use('POST', '/routing/explain', { model: 'test/m' }));
  return (attempts as (Row & { health: Row })[]).map(({ provider, health: { state, until } }) => {
    const seconds = typeof until === 'string' ? ` ${(Date.parse(until) - Date.parse(START)) / SECOND}` : '';
    return `${provider} ${state}${seconds}`;
  });
}

describe.each(FEW_CASES)(
  'fault table: a provider that recovers is used again, $mode over $capacity',
  ({ capacity, mode }) => {
    it('429 with Retry-After: the provider is avoided until the delay is over, then preferred again', async () => {
      const clock = clockAt(START);
      const gateway = await startProviders(capacity, { clock });
      gateway.alpha.plan('m', { status: 429, headers: { 'retry-after': '20' } }, {});
      expectAnswerFrom(await gateway.ask(mode), 'beta');
      expect(await healths(gateway)).toEqual(['beta ok', 'alpha resting 20']);
      for (let second = 1; second < 20; second++) {
        clock.advance(SECOND);
        expectAnswerFrom(await gateway.ask(mode), 'beta');
      }
      expect(gateway.alpha.requests).toHaveLength(1);
      clock.advance(SECOND);
      expect(await healths(gateway)).toEqual(['alpha ok', 'beta ok']);
      expectAnswerFrom(await gateway.ask(mode), 'alpha');
    });

    it('60 s outage: others serve meanwhile with few probes, and it is back within 30 s of its recovery', async () => {
      const clock = clockAt(START);
      const gateway = await startProviders(capacity, { clock });
      gateway.alpha.plan('m', { status: 503 });
      for (let second = 0; second < 60; second++) {
        expectAnswerFrom(await gateway.ask(mode), 'beta');
        clock.advance(SECOND);
      }
      // Three failures to cool, then one probe after 5, 10 and 20 more seconds.
      expect(gateway.alpha.requests).toHaveLength(6);
      expect(gateway.beta.requests).toHaveLength(60);
      gateway.alpha.plan('m', {});
      let seconds = 0;
      while ((await gateway.ask(mode)).provider !== 'alpha') {
        clock.advance(SECOND);
        seconds += 1;
      }
      expect(seconds).toBeLessThanOrEqual(30);
      for (let count = 0; count < 5; count++) expectAnswerFrom(await gateway.ask(mode), 'alpha');
      expect(await healths(gateway)).toEqual(['alpha ok', 'beta ok']);
    });
  },
);

/** Failures until alpha cools, and the time after which it may be tried again. */
async function coolAlpha(gateway: ProvidersGateway, clock: ReturnType<typeof clockAt>) {
  gateway.alpha.plan('m', { status: 503 });
  for (let count = 0; count < FAILURES_TO_COOL; count++)
    expectAnswerFrom(await gateway.ask('in one piece'), 'beta');
  clock.advance(FIRST_COOLING_MS);
  return gateway.alpha.requests.length;
}

describe.each(CASES)(
  'after an outage a single request probes, $mode over $capacity',
  ({ capacity, mode }) => {
    // The account's credits might not cover the reservations of twelve and more at once.
    const runToEnd = (gateway: ProvidersGateway) =>
      Promise.all(Array.from({ length: 10 }, () => gateway.ask(mode)));

    it('of many concurrent requests one tries the provider; it fails, and all are served elsewhere', async () => {
      const clock = clockAt(START);
      const gateway = await startProviders(capacity, { clock });
      const before = await coolAlpha(gateway, clock);
      for (const answer of await runToEnd(gateway)) expectAnswerFrom(answer, 'beta');
      expect(gateway.alpha.requests).toHaveLength(before + 1);
      expect(await healths(gateway)).toEqual(['beta ok', 'alpha cooling 15']);
    });

    it('while the probe runs all others use another provider, and when it is abandoned the next one probes', async () => {
      const clock = clockAt(START);
      const gateway = await startProviders(capacity, { clock, env: { BYWAY_ON_DISCONNECT: 'cancel' } });
      const before = await coolAlpha(gateway, clock);
      gateway.alpha.plan('m', { stallAfter: 0 });
      const client = new AbortController();
      const probe = fetch(`${gateway.rest}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'test/m',
          messages: [{ role: 'user', content: 'Hello' }],
          stream: mode === 'streamed',
        }),
        signal: client.signal,
      }).catch(() => 'given up');
      await expect.poll(() => gateway.alpha.requests.length).toBe(before + 1);
      expect(await healths(gateway)).toEqual(['beta ok', 'alpha cooling 35']);
      for (const answer of await runToEnd(gateway)) expectAnswerFrom(answer, 'beta');
      expect(gateway.alpha.requests).toHaveLength(before + 1);

      gateway.alpha.plan('m', {});
      client.abort();
      expect(await probe).toBe('given up');
      await expect.poll(() => healths(gateway)).toEqual(['alpha ok', 'beta ok']);
      expectAnswerFrom(await gateway.ask(mode), 'alpha');
      for (const answer of await runToEnd(gateway)) expectAnswerFrom(answer, 'alpha');
    });
  },
);

it('Retry-After applies only to the key that was limited: another of the same provider serves at once', async () => {
  const clock = clockAt(START);
  const gateway = await startProviders(null, { clock });
  gateway.alpha.planKey('sk-limited-0123456789', { status: 429, headers: { 'retry-after': '30' } }, {});
  gateway.alpha.planKey('sk-other-0123456789', {});
  await addKey(gateway, 'alpha', 'sk-limited-0123456789');
  await addKey(gateway, 'alpha', 'sk-other-0123456789');
  const uses = () => gateway.alpha.requests.map(({ headers }) => headers.authorization);
  const answer = await gateway.ask('in one piece');
  expect(await attempts(gateway, answer)).toEqual(['alpha 429 null', 'alpha 200 null']);
  for (let count = 0; count < 29; count++) {
    clock.advance(SECOND);
    expectAnswerFrom(await gateway.ask('in one piece'), 'alpha');
  }
  expect(uses().filter((key) => key === 'Bearer sk-limited-0123456789')).toHaveLength(1);
  clock.advance(SECOND);
  await gateway.ask('in one piece');
  expect(uses().at(-1)).toBe('Bearer sk-limited-0123456789');
});

it('a limited candidate that is the only one left is tried as soon as the provider allows it, not before', async () => {
  const clock = clockAt(START);
  const gateway = await startProviders(null, { clock });
  await addKey(gateway, 'alpha', FAKE_API_KEY);
  gateway.alpha.plan('m', { status: 429, headers: { 'retry-after': '30' } }, {});
  for (const _ of [1, 2]) expect((await gateway.ask('in one piece')).status).toBe(429);
  expect(gateway.alpha.requests).toHaveLength(1);
  clock.advance(30 * SECOND);
  expectAnswerFrom(await gateway.ask('in one piece'), 'alpha');
});

describe.each(CAPACITIES)('keys that all fail are never lost, over %s', (capacity) => {
  it.each([
    ['refused', { status: 401 }],
    ['limited', { status: 429, headers: { 'retry-after': '3600' } }],
    ['limited without a delay', { status: 429 }],
    ['broken', { reset: true }],
  ])('%s for an hour, they serve again within a minute of their recovery', async (_, plan) => {
    const clock = clockAt(START);
    const gateway = await startProviders(capacity, { clock });
    for (const fake of [gateway.alpha, gateway.beta]) fake.plan('m', plan);
    for (let count = 0; count < 12; count++) {
      expect((await gateway.ask('in one piece')).status).toBeGreaterThanOrEqual(429);
      clock.advance(300 * SECOND);
    }
    for (const fake of [gateway.alpha, gateway.beta]) fake.plan('m', {});
    clock.advance(60 * SECOND);
    expect(await healths(gateway)).toEqual(['alpha ok', 'beta ok']);
    expectAnswerFrom(await gateway.ask('in one piece'), 'alpha');
  });
});
