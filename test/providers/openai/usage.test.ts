import { describe, expect, it } from 'vitest';
import { usageOf } from '../../../src/providers/openai/usage.js';
import { chatRequest, drain } from '../../support/chat.js';
import { chunk } from './adapter.fixture.js';
import { openAiBench } from './chat.fixture.js';

describe('usage (missing is not 0)', () => {
  it.each<[string, object, object]>([
    [
      'of OpenAI',
      {
        prompt_tokens: 10,
        completion_tokens: 20,
        total_tokens: 30,
        prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 2, audio_tokens: 1 },
        completion_tokens_details: { reasoning_tokens: 7, audio_tokens: 3, accepted_prediction_tokens: 9 },
      },
      {
        promptTokens: 10,
        completionTokens: 20,
        cachedTokens: 4,
        cacheWriteTokens: 2,
        audioTokens: 1,
        reasoningTokens: 7,
        completionAudioTokens: 3,
      },
    ],
    [
      'of DeepSeek, with names of its own for cached tokens',
      { prompt_tokens: 10, completion_tokens: 1, prompt_cache_hit_tokens: 8, prompt_cache_miss_tokens: 2 },
      { promptTokens: 10, completionTokens: 1, cachedTokens: 8 },
    ],
    [
      'with reasoning beside the completion, as the total shows',
      {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 22,
        completion_tokens_details: { reasoning_tokens: 7 },
      },
      { promptTokens: 10, completionTokens: 12, reasoningTokens: 7 },
    ],
    [
      'of Perplexity, with its searches of the web',
      { prompt_tokens: 10, completion_tokens: 1, citation_tokens: 5, num_search_queries: 3 },
      { promptTokens: 10, completionTokens: 1, webSearches: 3 },
    ],
    [
      'of those that count searches as Anthropic does',
      { prompt_tokens: 10, completion_tokens: 1, server_tool_use: { web_search_requests: 2 } },
      { promptTokens: 10, completionTokens: 1, webSearches: 2 },
    ],
    [
      'that is 0 where it says 0',
      { prompt_tokens: 0, completion_tokens: 0 },
      { promptTokens: 0, completionTokens: 0 },
    ],
    [
      'with null details',
      { prompt_tokens: 1, prompt_tokens_details: null, completion_tokens: null },
      { promptTokens: 1 },
    ],
    ['that is no number', { prompt_tokens: '7', completion_tokens: {} }, {}],
    ['that is empty', {}, {}],
  ])('%s', (_, usage, counts) => {
    expect(usageOf({ usage })).toEqual(counts);
    expect(usageOf({ usage: null, x_groq: { usage } })).toEqual(counts);
  });

  it.each([[{}], [{ usage: null }], [{ usage: 'none' }], [{ x_groq: { id: 'req' } }]])(
    'none in %j',
    (answer) => {
      expect(usageOf(answer)).toBeUndefined();
    },
  );
});

describe('usage of a chat', () => {
  const text = [chunk({ content: 'four' }), chunk({ content: 'more' })];

  it.each([
    [
      'after the finish',
      [...text, chunk({}, 'stop'), { choices: [], usage: { prompt_tokens: 7, completion_tokens: 2 } }],
    ],
    ['with the finish', [...text, chunk({}, 'stop', { usage: { prompt_tokens: 7, completion_tokens: 2 } })]],
    [
      'from x_groq',
      [...text, chunk({}, 'stop', { x_groq: { usage: { prompt_tokens: 7, completion_tokens: 2 } } })],
    ],
    [
      'growing with each chunk',
      [1, 2].map((completion_tokens) =>
        chunk({ content: 'four' }, completion_tokens === 2 ? 'stop' : null, {
          usage: { prompt_tokens: 7, completion_tokens },
        }),
      ),
    ],
  ])('is the provider’s, %s', async (_, chunks) => {
    const { table } = await openAiBench({ m: { chunks } }, ['m']);
    const { chunks: received } = await drain(table.chat.stream(chatRequest()));
    expect(received.at(-1)?.usage).toMatchObject({ prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 });
  });

  it('is estimated where the provider sends none', async () => {
    const { table } = await openAiBench({ m: { chunks: [...text, chunk({}, 'stop')] } }, ['m']);
    const { chunks } = await drain(table.chat.stream(chatRequest()));
    expect(chunks.at(-1)?.usage).toMatchObject({ completion_tokens: 2 });
  });
});
