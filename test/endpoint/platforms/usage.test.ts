import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nanoUsd, usd } from '../../support/exact-usd.js';
import {
  chunksOf,
  launchPlatforms,
  PLATFORMS,
  type Platform,
  type PlatformsGateway,
} from '../../support/platforms.js';
import { type Answer, bodyOf, type Row, recordOf } from '../../support/rest.js';
import { type Billed, PRICES, reportOf } from './reports.js';

/** In nano-USD. */
function costOf(...billed: readonly Billed[]): bigint {
  return nanoUsd(billed.flat().map(([count, key]) => [count, PRICES[key]] as const));
}

function usageIn(answer: Answer, stream: boolean): Row {
  if (!stream) return { ...(bodyOf(answer).usage as Row) };
  const last = chunksOf(answer).chunks.at(-1);
  expect(last?.choices).toEqual([]);
  return { ...last?.usage };
}

describe.each(['byok', 'shared'] as const)('usage at every platform, %s', (capacity) => {
  let gateway: PlatformsGateway;

  beforeAll(async () => {
    const plan = (platform: Platform) => ({ usage: reportOf(platform).usage });
    gateway = await launchPlatforms([{ name: 'm', plan, overrides: () => ({ pricing: PRICES }) }], capacity);
  });
  afterAll(() => gateway.stop());

  const isByok = capacity === 'byok';

  /** The spend in the key's record, in USD. */
  async function spent(): Promise<number> {
    const { usage, byok_usage } = recordOf(await gateway.use('GET', '/key'));
    return Number(isByok ? byok_usage : usage);
  }

  it.each(
    PLATFORMS.flatMap((platform) => [
      { platform, slug: platform.slug, mode: 'in one piece', stream: false },
      { platform, slug: platform.slug, mode: 'streamed', stream: true },
    ]),
  )(
    '$slug, $mode: the reported usage is shown, recorded and charged exactly',
    async ({ platform, slug, stream }) => {
      const { block, cached, prompt, completion, rest } = reportOf(platform);
      const total = usd(costOf(prompt, completion, rest));
      const before = await spent();
      const answer = await gateway.use('POST', '/chat/completions', {
        model: `${slug}/m`,
        stream,
        messages: [{ role: 'user', content: 'Hello there' }],
      });
      expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
      expect(usageIn(answer, stream)).toEqual({
        ...block,
        total_tokens: 1200,
        is_byok: isByok,
        cost: isByok ? 0 : total,
        cost_details: {
          upstream_inference_cost: isByok ? total : null,
          upstream_inference_prompt_cost: usd(costOf(prompt)),
          upstream_inference_completions_cost: usd(costOf(completion)),
        },
      });
      const id = answer.headers['x-generation-id'];
      expect(recordOf(await gateway.use('GET', `/generation?id=${id}`))).toMatchObject({
        tokens_prompt: 1000,
        tokens_completion: 200,
        native_tokens_cached: cached,
        native_tokens_reasoning: block.completion_tokens_details.reasoning_tokens,

        usage: isByok ? 0 : total,
        upstream_inference_cost: isByok ? total : null,
        byok_fee: 0,
      });
      expect((await spent()) - before).toBeCloseTo(total, 12);
    },
  );
  it('all of it is in the account’s sums', async () => {
    const all = PLATFORMS.map((platform) => {
      const { prompt, completion, rest } = reportOf(platform);
      return 2n * costOf(prompt, completion, rest);
    }).reduce((sum, one) => sum + one, 0n);
    expect(await spent()).toBe(usd(all));
    const { total_usage } = recordOf(await gateway.manage('GET', '/credits'));
    expect(total_usage).toBe(isByok ? 0 : usd(all));
  });
});
