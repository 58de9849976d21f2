import { describe, expect, it } from 'vitest';
import { usageOf } from '../../../src/providers/openai/chat/usage.js';
import { chatRequest, drain } from '../../support/chat.js';
import { chunk } from './adapter.fixture.js';
import { openAiBench } from './chat.fixture.js';

/** https://github.com/Bike4Mind/bike4mind/pull/1089: cached tokens are part of the prompt's, in both spellings. */
const MOONSHOT = { prompt_tokens: 2989, completion_tokens: 5, total_tokens: 2994, cached_tokens: 2989 };

describe('F4: usage in the words of each host', () => {
  it.each<[string, object, object]>([
    ['Moonshot, cached tokens beside the others', { usage: MOONSHOT }, { cachedTokens: 2989 }],
    [
      // https://github.com/earendil-works/pi/issues/2017
      'Moonshot, in the choice of a stream’s last chunk',
      { usage: null, choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage: MOONSHOT }] },
      { promptTokens: 2989, completionTokens: 5, cachedTokens: 2989 },
    ],
    [
      'Groq, in a member of its own',
      { x_groq: { usage: { prompt_tokens: 3, completion_tokens: 4 } } },
      { promptTokens: 3, completionTokens: 4 },
    ],
    [
      'DeepSeek, hits and misses',
      { usage: { prompt_tokens: 10, prompt_cache_hit_tokens: 8, prompt_cache_miss_tokens: 2 } },
      { promptTokens: 10, cachedTokens: 8 },
    ],
    [
      'Alibaba, writes of an explicit cache',
      {
        usage: {
          prompt_tokens: 9,
          prompt_tokens_details: { cached_tokens: 0, cache_creation_input_tokens: 8 },
        },
      },
      { promptTokens: 9, cachedTokens: 0, cacheWriteTokens: 8 },
    ],
    [
      'gateways in front of Claude, which add Anthropic’s names',
      { usage: { prompt_tokens: 9, cache_read_input_tokens: 5, cache_creation_input_tokens: 2 } },
      { promptTokens: 9, cachedTokens: 5, cacheWriteTokens: 2 },
    ],
    [
      'Perplexity, reasoning without details',
      { usage: { prompt_tokens: 1, completion_tokens: 9, reasoning_tokens: 4, num_search_queries: 2 } },
      { completionTokens: 9, reasoningTokens: 4, webSearches: 2 },
    ],
    [
      'images of an answer apart',
      { usage: { completion_tokens: 1337, completion_tokens_details: { image_tokens: 1120 } } },
      { completionTokens: 1337, imageOutputTokens: 1120 },
    ],
    [
      // https://github.com/BerriAI/litellm/pull/30817
      'xAI, searches of the web and of X',
      { usage: { server_side_tool_usage_details: { web_search_calls: 2, x_search_calls: 1 } } },
      { webSearches: 3 },
    ],
    [
      'Perplexity, one search of the size that it names',
      { usage: { prompt_tokens: 1, completion_tokens: 9, search_context_size: 'high' } },
      { webSearches: 1, highSearches: 1 },
    ],
    [
      'Perplexity, one search of the least size',
      { usage: { prompt_tokens: 1, completion_tokens: 9, search_context_size: 'low' } },
      { webSearches: 1 },
    ],
    [
      // https://github.com/bgeneto/open-webui-cost-tracker/issues/6
      'Perplexity’s research, with what it has read and thought beside the rest',
      {
        usage: {
          prompt_tokens: 108,
          completion_tokens: 3256,
          total_tokens: 3364,
          citation_tokens: 7299,
          num_search_queries: 74,
          reasoning_tokens: 73248,
        },
      },
      { promptTokens: 7407, completionTokens: 76504, reasoningTokens: 73248, webSearches: 74 },
    ],
    [
      'xAI, reasoning beside the completion',
      {
        usage: {
          prompt_tokens: 1,
          completion_tokens: 2,
          total_tokens: 7,
          completion_tokens_details: { reasoning_tokens: 4 },
        },
      },
      { completionTokens: 6, reasoningTokens: 4 },
    ],
  ])('%s', (_, answer, counts) => {
    expect(usageOf({ ...answer })).toMatchObject(counts);
  });

  it('the details count where a host says the same twice', () => {
    const usage = { ...MOONSHOT, prompt_tokens_details: { cached_tokens: 0 } };
    expect(usageOf({ usage })).toMatchObject({ cachedTokens: 0 });
  });

  it("a 0 in OpenAI's words does not hide what a gateway in front of Claude counts in Claude's, an hour's writes too", () => {
    // https://github.com/BerriAI/litellm/issues/11789, 18988
    const usage = {
      ...{ prompt_tokens: 2459, completion_tokens: 23, total_tokens: 2482 },
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      ...{ cache_read_input_tokens: 1455, cache_creation_input_tokens: 1000 },
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 1000 },
    };
    const counts = { cachedTokens: 1455, cacheWriteTokens: 1000, cacheWrite1hTokens: 1000 };
    expect(usageOf({ usage })).toMatchObject({ promptTokens: 2459, ...counts });
  });

  it('cached tokens of a stream are billed as such', async () => {
    const finished = {
      ...chunk({}, 'stop'),
      choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage: MOONSHOT }],
    };
    const { table } = await openAiBench({ m: { chunks: [chunk({ content: 'Hi' }), finished] } }, ['m']);
    const { chunks } = await drain(table.chat.stream(chatRequest()));
    expect(chunks.at(-1)?.usage).toMatchObject({
      prompt_tokens: 2989,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 2989 },
    });
  });
});

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
