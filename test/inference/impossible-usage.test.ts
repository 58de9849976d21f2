import { describe, expect, it } from 'vitest';
import { MAX_COST_NANO_USD } from '../../src/ledger/pricing/possible-usage.js';
import {
  bench,
  chatRequest,
  demoEndpoint,
  drain,
  finish,
  scriptedAdapter,
  sharedAttempt,
  word,
} from '../support/chat.js';

const CONTEXT = 1_000;

const attempt = (pricing?: object) =>
  sharedAttempt('echo', {
    endpoint: {
      ...demoEndpoint('echo', { contextLength: CONTEXT, maxCompletionTokens: 100 }),
      ...(pricing !== undefined && { pricing: { ...demoEndpoint('echo').pricing, ...pricing } }),
    },
  });

async function streamed(usage: object, body = {}) {
  const { adapter } = scriptedAdapter([word('Hello'), word(' there'), { type: 'usage', usage }, finish()]);
  const used = bench([attempt()], { adapters: new Map([['demo', adapter]]) });
  const { chunks, thrown } = await drain(used.chat.stream(chatRequest({ stream: true, ...body })));
  return { ...used, chunks, thrown };
}

describe('counts of a provider', () => {
  it.each([
    ['more of the prompt than fits the context', { promptTokens: CONTEXT + 1, completionTokens: 1 }],
    ['a longer answer than the endpoint gives', { promptTokens: 1, completionTokens: 101 }],
    ['more reasoning than that', { promptTokens: 1, completionTokens: 1, reasoningTokens: 101 }],
    ['more from a cache than fits the context', { promptTokens: 1, completionTokens: 1, cachedTokens: 1e18 }],
    ['searches without end', { promptTokens: 1, completionTokens: 1, webSearches: 2 ** 53 }],
    ['less than nothing', { promptTokens: -1, completionTokens: 1 }],
    ['a part of a token', { promptTokens: 1.5, completionTokens: 1 }],
    ['no number', { promptTokens: Number.NaN, completionTokens: 1 }],
  ])('that name %s are not believed, and fail the attempt', async (_, usage) => {
    const { generations, outcomes, thrown, chunks } = await streamed(usage);
    expect(thrown).toBeUndefined();
    expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: 4, completion_tokens: 3 });
    expect(generations).toMatchObject([{ countedBy: 'estimate', status: 'ok', promptTokens: 4 }]);
    expect(outcomes.map(({ outcome }) => outcome.kind)).toEqual(['failure']);
  });

  it('that are within all bounds are', async () => {
    const usage = {
      promptTokens: CONTEXT,
      completionTokens: 100,
      reasoningTokens: 100,
      cachedTokens: CONTEXT,
    };
    const { generations, outcomes } = await streamed(usage);
    expect(generations).toMatchObject([{ countedBy: 'provider', promptTokens: CONTEXT }]);
    expect(outcomes.map(({ outcome }) => outcome.kind)).toEqual(['success']);
  });

  it('may be those of as many answers as are asked for, and of the turns of its own tools', async () => {
    const several = await streamed({ promptTokens: 1, completionTokens: 300 }, { n: 3 });
    const otherwise = await streamed({ promptTokens: 1, completionTokens: 300 }, { best_of: 3 });
    expect(otherwise.generations).toMatchObject([{ countedBy: 'provider' }]);
    expect(several.generations).toMatchObject([{ countedBy: 'provider', completionTokens: 300 }]);
    const searching = await streamed(
      { promptTokens: 9 * CONTEXT, completionTokens: 1 },
      { web_search_options: {} },
    );
    expect(searching.generations).toMatchObject([{ countedBy: 'provider', promptTokens: 9 * CONTEXT }]);
  });

  it('of one request never cost more than can be summed', async () => {
    const dear = attempt({ prices: { prompt: '1000000000', completion: '1000000000' } });
    const used = bench([dear]);
    await used.chat.complete(chatRequest());
    expect(used.generations[0]?.usageNanoUsd).toBe(MAX_COST_NANO_USD);
  });
});
