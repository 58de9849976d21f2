import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  chunksOf,
  launchPlatforms,
  PLATFORMS,
  type Platform,
  type PlatformsGateway,
} from '../../support/platforms.js';
import { bodyOf, recordOf } from '../../support/rest.js';
import { PRICES, reportOf } from './reports.js';

/** Of the model's endpoint. */
const CONTEXT = 100_000;

/** No provider can have counted any of these. */
const IMPOSSIBLE = [-1, 0.5, CONTEXT * 11, 2 ** 63, 1e300] as const;

/** The usage with each of its numbers in turn replaced. */
function* spoiled(usage: unknown, by: unknown): Generator<unknown> {
  if (typeof usage === 'number') yield by;
  if (typeof usage !== 'object' || usage === null) return;
  for (const [name, value] of Object.entries(usage)) {
    for (const other of spoiled(value, by)) {
      yield Array.isArray(usage)
        ? usage.map((element, index) => (String(index) === name ? other : element))
        : { ...usage, [name]: other };
    }
  }
}

describe('a usage that is impossible', () => {
  let gateway: PlatformsGateway;

  beforeAll(async () => {
    const overrides = () => ({ pricing: PRICES, context_length: CONTEXT });
    gateway = await launchPlatforms([{ name: 'm', overrides }], 'shared');
  });
  afterAll(() => gateway.stop());

  async function answered(platform: Platform, usage: unknown, stream: boolean) {
    gateway.plan(platform, 'm', { usage });
    const answer = await gateway.use('POST', '/chat/completions', {
      model: `${platform.slug}/m`,
      stream,
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Hello there' }],
    });
    expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
    if (stream) expect(chunksOf(answer).isDone).toBe(true);
    const shown = stream ? chunksOf(answer).chunks.at(-1)?.usage : bodyOf(answer).usage;
    const id = answer.headers['x-generation-id'];
    const record = recordOf(await gateway.use('GET', `/generation?id=${id}`));
    return { shown: shown as Record<string, unknown>, record };
  }

  it.each(PLATFORMS.map((platform) => ({ platform, slug: platform.slug })))(
    '$slug: is not there where it is no number',
    async ({ platform }) => {
      for (const bad of spoiled(reportOf(platform).usage, 'NaN')) {
        for (const stream of [false, true]) {
          const { record } = await answered(platform, bad, stream);
          expect(Number(record.usage)).toBeLessThan(1);
        }
      }
    },
    60_000,
  );

  it.each(
    PLATFORMS.flatMap((platform) =>
      [true, false].map((stream) => ({ platform, slug: platform.slug, stream })),
    ),
  )(
    '$slug, streamed $stream: is settled by an estimate, whichever count it is',
    async ({ platform, stream }) => {
      const { usage } = reportOf(platform);
      const told = await answered(platform, usage, stream);
      expect(told.record.counted_by).toBe('provider');
      for (const lie of IMPOSSIBLE) {
        for (const bad of spoiled(usage, lie)) {
          const { record, shown } = await answered(platform, bad, stream);
          const isIgnored = record.counted_by === 'provider';
          // A total, or a count of something that is not billed.
          if (isIgnored) expect(record).toMatchObject(sameBill(told.record));
          else {
            expect(record).toMatchObject({ counted_by: 'estimate', tokens_prompt: expect.any(Number) });
            expect(Number(record.tokens_prompt)).toBeLessThan(100);
            expect(shown.prompt_tokens).toBe(record.tokens_prompt);
            expect(Number(record.usage)).toBeLessThan(1);
          }
        }
      }
    },
    60_000,
  );
});

function sameBill({
  tokens_prompt,
  tokens_completion,
  native_tokens_cached,
  usage,
}: Record<string, unknown>) {
  return { tokens_prompt, tokens_completion, native_tokens_cached, usage };
}
