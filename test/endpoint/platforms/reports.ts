/** How each protocol reports the usage of an answer, and what the gateway makes of it. */
import type { Platform } from '../../support/platforms.js';

/** USD per unit. All differ, so that none can be mistaken for another. */
export const PRICES = {
  prompt: '0.000003',
  completion: '0.000015',
  request: '0.0005',
  input_cache_read: '0.00000031',
  input_cache_write: '0.00000375',
  input_cache_write_1h: '0.0000061',
  internal_reasoning: '0.0000207',
  audio: '0.0000107',
  audio_output: '0.0000311',
  input_audio_cache: '0.0000021',
  image_token: '0.0000053',
  web_search: '0.01',
} as const;

/** A count at a price. */
export type Billed = readonly (readonly [number, keyof typeof PRICES])[];

/** A usage report with the expected usage and cost. */
export interface Report {
  /** In the provider's format. */
  readonly usage: object;
  readonly block: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly prompt_tokens_details: object;
    readonly completion_tokens_details: { readonly reasoning_tokens: number; readonly audio_tokens: number };
  };
  readonly cached: number;
  readonly prompt: Billed;
  readonly completion: Billed;
  readonly rest: Billed;
}

/** OpenAI: all counts are included in the two totals. */
const chat: Report = {
  usage: {
    prompt_tokens: 1000,
    completion_tokens: 200,
    total_tokens: 1200,
    prompt_tokens_details: {
      cached_tokens: 300,
      cache_write_tokens: 100,
      audio_tokens: 50,
      image_tokens: 40,
    },
    completion_tokens_details: { reasoning_tokens: 120, audio_tokens: 20 },
  },
  block: {
    prompt_tokens: 1000,
    completion_tokens: 200,
    prompt_tokens_details: { cached_tokens: 300, cache_write_tokens: 100, audio_tokens: 50 },
    completion_tokens_details: { reasoning_tokens: 120, audio_tokens: 20 },
  },
  cached: 300,
  prompt: [
    [300, 'input_cache_read'],
    [100, 'input_cache_write'],
    [50, 'audio'],
    [40, 'image_token'],
    [510, 'prompt'],
  ],
  completion: [
    [120, 'internal_reasoning'],
    [20, 'audio_output'],
    [60, 'completion'],
  ],
  rest: [[1, 'request']],
};

/** Anthropic: cached tokens are counted apart from the input. */
const messages: Report = {
  usage: {
    input_tokens: 500,
    cache_read_input_tokens: 300,
    cache_creation_input_tokens: 200,
    cache_creation: { ephemeral_5m_input_tokens: 150, ephemeral_1h_input_tokens: 50 },
    output_tokens: 200,
    output_tokens_details: { thinking_tokens: 120 },
    server_tool_use: { web_search_requests: 2, web_fetch_requests: 0 },
  },
  block: {
    prompt_tokens: 1000,
    completion_tokens: 200,
    prompt_tokens_details: { cached_tokens: 300, cache_write_tokens: 200, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 120, audio_tokens: 0 },
  },
  cached: 300,
  prompt: [
    [300, 'input_cache_read'],
    [150, 'input_cache_write'],
    [50, 'input_cache_write_1h'],
    [500, 'prompt'],
  ],
  completion: [
    [120, 'internal_reasoning'],
    [80, 'completion'],
  ],
  rest: [
    [1, 'request'],
    [2, 'web_search'],
  ],
};

/** Converse: like Anthropic's, without reasoning and searches. */
const converse: Report = {
  ...messages,
  usage: {
    inputTokens: 500,
    outputTokens: 200,
    totalTokens: 1200,
    cacheReadInputTokens: 300,
    cacheWriteInputTokens: 200,
    cacheDetails: [
      { ttl: '5m', inputTokens: 150 },
      { ttl: '1h', inputTokens: 50 },
    ],
  },
  block: { ...messages.block, completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 } },
  completion: [[200, 'completion']],
  rest: [[1, 'request']],
};

/** Gemini: thoughts are counted apart from the answer; modalities have lists of their own. */
const gemini: Report = {
  usage: {
    promptTokenCount: 1000,
    cachedContentTokenCount: 300,
    totalTokenCount: 1200,
    candidatesTokenCount: 80,
    thoughtsTokenCount: 120,
    promptTokensDetails: [
      { modality: 'TEXT', tokenCount: 910 },
      { modality: 'AUDIO', tokenCount: 50 },
      { modality: 'IMAGE', tokenCount: 40 },
    ],
    cacheTokensDetails: [
      { modality: 'TEXT', tokenCount: 290 },
      { modality: 'AUDIO', tokenCount: 10 },
    ],
    candidatesTokensDetails: [
      { modality: 'TEXT', tokenCount: 60 },
      { modality: 'AUDIO', tokenCount: 20 },
    ],
  },
  block: {
    prompt_tokens: 1000,
    completion_tokens: 200,
    prompt_tokens_details: { cached_tokens: 300, cache_write_tokens: 0, audio_tokens: 50 },
    completion_tokens_details: { reasoning_tokens: 120, audio_tokens: 20 },
  },
  cached: 300,
  prompt: [
    [10, 'input_audio_cache'],
    [290, 'input_cache_read'],
    [40, 'audio'],
    [40, 'image_token'],
    [620, 'prompt'],
  ],
  completion: chat.completion,
  rest: [[1, 'request']],
};

export function reportOf({ slug, fake }: Platform): Report {
  if (slug === 'vertex-gemini') return gemini;
  if (slug === 'vertex-claude' || fake === 'anthropic') return messages;
  return fake === 'bedrock' ? converse : chat;
}
