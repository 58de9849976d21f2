import { describe, expect, it } from 'vitest';
import { demoModel } from '../../support/catalog.js';
import { clockAt } from '../../support/clock.js';
import { countAdmitted, mustSucceed, startMoneyGateway } from '../../support/money.js';
import { hear } from '../../support/providers.js';
import { recordOf } from '../../support/rest.js';

const BASE = { prompt: '0', completion: '0.000001' };
const price = (usd: string, conditions: object) => ({ completion: usd, ...conditions });

/** `test/timed`: expensive at night, more so on weekends, most so for long prompts; each answer has 5 tokens. */
const OVERRIDES = [
  price('0.000002', { utc_start: 2200, utc_end: 600 }),
  price('0.000003', { utc_days: ['saturday', 'sunday'] }),
  price('0.000004', { utc_start: 2200, utc_end: 600, utc_days: ['saturday'] }),
  price('0.000005', { min_prompt_tokens: 100, utc_start: 900, utc_end: 1700, utc_days: ['monday'] }),
];
const LONG = 'word '.repeat(101);

/** Instants around every edge, the length of the prompt, and the price of a completion token in millionths of a USD. */
const TABLE: readonly (readonly [string, 'short' | 'long', number])[] = [
  // 2026-03-06 is a Friday.
  ['2026-03-06T21:59:59.999Z', 'short', 1],
  ['2026-03-06T22:00:00.000Z', 'short', 2],
  ['2026-03-06T23:59:59.999Z', 'short', 2],
  ['2026-03-07T00:00:00.000Z', 'short', 4],
  ['2026-03-07T05:59:59.999Z', 'short', 4],
  ['2026-03-07T06:00:00.000Z', 'short', 3],
  ['2026-03-07T21:59:59.999Z', 'short', 3],
  ['2026-03-07T22:00:00.000Z', 'short', 4],
  ['2026-03-08T00:00:00.000Z', 'short', 3],
  ['2026-03-08T23:59:59.999Z', 'short', 3],
  ['2026-03-09T00:00:00.000Z', 'short', 2],
  ['2026-03-09T06:00:00.000Z', 'short', 1],
  ['2026-03-09T08:59:59.999Z', 'long', 1],
  ['2026-03-09T09:00:00.000Z', 'long', 5],
  ['2026-03-09T09:00:00.000Z', 'short', 1],
  ['2026-03-09T17:00:00.000Z', 'long', 1],
  ['2026-03-10T12:00:00.000Z', 'long', 1],
  // The night from 28 February to the leap day, a Monday to a Tuesday.
  ['2028-02-29T00:00:00.000Z', 'short', 2],
];

const models = [
  demoModel('test/timed', ['a'], { pricing: { ...BASE, overrides: OVERRIDES } }),
  demoModel('test/timed-slow', [{ provider: 'a', upstream_model_id: 'slow-5' }], {
    pricing: { ...BASE, overrides: OVERRIDES },
  }),
];

describe('prices that depend on the time, and on the size of the prompt', () => {
  it('are those of the request’s instant, at every edge of hour, day, weekend and midnight', async () => {
    const clock = clockAt('2026-03-06T12:00:00Z');
    const gateway = await startMoneyGateway({ clock, models });
    for (const [instant, prompt, millionths] of TABLE) {
      clock.set(instant);
      const content = prompt === 'long' ? LONG : 'Hi';
      const { usage } = await mustSucceed(
        gateway.chat('test/timed', { messages: [{ role: 'user', content }], max_tokens: 5 }),
      );
      expect([instant, prompt, usage]).toEqual([
        instant,
        prompt,
        expect.objectContaining({
          completion_tokens: 5,
          cost: Number((5 * millionths * 1e-6).toFixed(9)),
        }),
      ]);
    }
  });

  it('are fixed when the request begins, however late it ends', async () => {
    const clock = clockAt('2026-03-06T23:59:59.999Z');
    const gateway = await startMoneyGateway({ clock, models });
    const admitted = countAdmitted(gateway);
    let requests = 0;
    for (const stream of [false, true]) {
      clock.set('2026-03-06T23:59:59.999Z');
      const answer = gateway.chat('test/timed-slow', { stream });
      await expect.poll(admitted).toBe(++requests);
      clock.set('2026-03-07T00:30:00Z');
      const { id, usage } = hear(await answer);
      expect(usage?.cost).toBe(Number(((usage?.completion_tokens ?? 0) * 2e-6).toFixed(9)));
      const record = recordOf(await gateway.use('GET', `/generation?id=${id}`));
      expect(record).toMatchObject({ usage: usage?.cost, created_at: '2026-03-06T23:59:59.999Z' });
    }
  });
});
