/**
 * What answers cost beside their text, at the prices of the packaged catalogue: each kind at the price that its maker publishes,
 * as what the host says of its answer counts it.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nanoUsd, usd } from '../../support/exact-usd.js';
import {
  chunksOf,
  launchPlatforms,
  PLATFORMS,
  type Platform,
  type PlatformsGateway,
} from '../../support/platforms.js';
import { receiptOf } from '../../support/receipts.js';
import { type Answer, bodyOf, type Row, recordOf } from '../../support/rest.js';
import { CASES, type Case, packagedPrices } from './images-and-searches.js';

const MODELS = CASES.map((one, index) => ({
  name: `m${index}`,
  upstreamId: ({ slug }: Platform) => (slug === one.platform ? one.upstreamId : undefined),
  overrides: ({ slug }: Platform) => ({
    pricing: isPlace(one.priced) ? packagedPrices(...one.priced) : one.priced,
    context_length: 200_000,
    ...(slug === one.platform && {
      endpoints: [{ provider: slug, upstream_model_id: one.upstreamId, max_completion_tokens: 32_768 }],
    }),
  }),
}));

function isPlace(priced: Case['priced']): priced is readonly [string, string] {
  return Array.isArray(priced);
}

function usageIn(answer: Answer, stream: boolean): Row {
  return (stream ? chunksOf(answer).chunks.at(-1)?.usage : bodyOf(answer).usage) as Row;
}

describe.each(['byok', 'shared'] as const)('over %s an answer costs', (capacity) => {
  let gateway: PlatformsGateway;

  beforeAll(async () => {
    gateway = await launchPlatforms(MODELS, capacity);
  });
  afterAll(() => gateway.stop());

  it.each(
    CASES.flatMap((one, index) => [
      { ...one, index, mode: 'in one piece', stream: false },
      { ...one, index, mode: 'streamed', stream: true },
    ]),
  )('$name, $mode', async ({ platform: slug, index, stream, plan, cost, countedBy = 'provider' }) => {
    const platform = PLATFORMS.find((one) => one.slug === slug);
    // Several have a model in common at the provider.
    if (platform !== undefined) gateway.plan(platform, `m${index}`, plan);
    const answer = await gateway.use('POST', '/chat/completions', {
      model: `${slug}/m${index}`,
      stream,
      messages: [{ role: 'user', content: 'Hello there' }],
    });
    expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
    const total = usd(nanoUsd(cost.map(([count, price]) => [count, price] as const)));
    const { cost: charged, cost_details } = usageIn(answer, stream);
    const upstream = (cost_details as Row).upstream_inference_cost;
    expect(capacity === 'byok' ? upstream : charged).toBe(total);
    const id = answer.headers['x-generation-id'];
    expect(recordOf(await gateway.use('GET', `/generation?id=${id}`)).counted_by).toBe(countedBy);
    const receipt = await receiptOf(gateway.use, id);
    expect(Number(receipt.list_price_usd)).toBe(total);
    expect(receipt.counted_by).toBe(countedBy);
  });
});
