import { describe, expect, it } from 'vitest';
import type { ChatBody } from '../../src/formats/chat/types.js';
import type { UpstreamAdapter, UpstreamCall, UpstreamUsage } from '../../src/inference/ports/adapter.js';
import { bench, byokAttempt, chatRequest, sharedAttempt } from '../support/chat.js';

/** Answers eight characters with this usage. */
function counting(usage: UpstreamUsage): UpstreamAdapter {
  return {
    complete: async () => ({
      format: 'chat',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: '12345678', refusal: null },
          finish_reason: 'stop',
          native_finish_reason: null,
          logprobs: null,
        },
      ],
      usage,
      systemFingerprint: null,
    }),
    stream: () => {
      throw new Error('unary only');
    },
  };
}

async function answer(usage: UpstreamUsage, body: Partial<ChatBody> = {}, attempt = sharedAttempt('echo')) {
  const table = bench([attempt], { adapters: new Map([['demo', counting(usage)]]) });
  return { answer: await table.chat.complete(chatRequest(body)), generation: table.generations[0] };
}

describe('usage', () => {
  it('is complete, whatever the provider leaves out', async () => {
    const { answer: whole } = await answer({
      promptTokens: 10,
      completionTokens: 4,
      reasoningTokens: 3,
      cachedTokens: 2,
    });
    expect(whole.usage).toEqual({
      prompt_tokens: 10,
      completion_tokens: 4,
      total_tokens: 14,
      prompt_tokens_details: { cached_tokens: 2, cache_write_tokens: 0, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 3, audio_tokens: 0 },
      cost: 0.000018,
      is_byok: false,
      cost_details: {
        upstream_inference_cost: null,
        upstream_inference_prompt_cost: 0.00001,
        upstream_inference_completions_cost: 0.000008,
      },
    });
  });

  it.each([
    [{ promptTokens: 10, completionTokens: 4 }, 'provider'],
    [{ promptTokens: 10 }, 'estimate'],
    [{ completionTokens: 4 }, 'estimate'],
    [{ promptTokens: -1, completionTokens: 4 }, 'estimate'],
  ] as const)('says whether the provider has counted all that was billed: %j', async (usage, countedBy) => {
    expect((await answer(usage)).generation).toMatchObject({ countedBy });
  });

  it('keeps an explicit zero, and estimates what is missing', async () => {
    const messages = [{ role: 'user', content: 'x'.repeat(396) }];
    const zero = await answer({ promptTokens: 0, completionTokens: 0 }, { messages });
    expect(zero.answer.usage).toMatchObject({ prompt_tokens: 0, completion_tokens: 0 });
    const missing = await answer({}, { messages });
    expect(missing.answer.usage).toMatchObject({ prompt_tokens: 100, completion_tokens: 2 });
  });

  it.each([Number.NaN, -1, 1.5, 2 ** 60])('ignores %d as a count', async (count) => {
    const { answer: whole } = await answer({ promptTokens: 1, completionTokens: count });
    expect(whole.usage.completion_tokens).toBe(2);
  });

  it('does not count the bytes of an image as text', async () => {
    const url = `data:image/png;base64,${'A'.repeat(100_000)}`;
    const content = [{ type: 'image_url', image_url: { url } }];
    const { answer: whole } = await answer({}, { messages: [{ role: 'user', content }] });
    expect(whole.usage.prompt_tokens).toBeLessThan(10);
  });

  it('shows and records the list price over a BYOK key', async () => {
    const usage = { promptTokens: 1_000_000, completionTokens: 500_000 };
    const { answer: whole, generation } = await answer(usage, {}, byokAttempt('mine'));
    expect(whole.usage).toMatchObject({ is_byok: true, cost_details: { upstream_inference_cost: 2 } });
    expect(generation).toMatchObject({
      byokKeyId: 'key-mine',
      upstreamInferenceCostNanoUsd: 2_000_000_000n,
      usageNanoUsd: 0n,
    });
  });

  it('answers with the model and provider that served, and always with a fingerprint', async () => {
    const { answer: whole } = await answer({}, { model: 'demo/other' });
    expect(whole).toMatchObject({
      id: 'gen-1',
      object: 'chat.completion',
      model: 'demo/model',
      provider: 'demo',
      system_fingerprint: null,
    });
  });
});

describe('what is sent to a provider', () => {
  it("has its own model id and nothing that is only the gateway's", async () => {
    const bodies: UpstreamCall['body'][] = [];
    const adapter: UpstreamAdapter = {
      ...counting({}),
      complete: (call) => {
        bodies.push(call.body);
        return counting({}).complete(call);
      },
    };
    const table = bench([sharedAttempt('upstream-id')], { adapters: new Map([['demo', adapter]]) });
    const messages = [{ role: 'user', content: 'hi' }];
    await table.chat.complete(
      chatRequest({ messages, models: ['a'], provider: {}, stream: false, stream_options: {}, seed: 7 }),
    );
    expect(bodies).toEqual([{ model: 'upstream-id', messages, seed: 7 }]);
  });
});
