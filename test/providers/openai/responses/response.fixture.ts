/** Responses and their items. */
import type { JsonObject } from '../../../../src/formats/chat/types.js';

export const USAGE = {
  input_tokens: 20,
  input_tokens_details: { cached_tokens: 8, cache_write_tokens: 4 },
  output_tokens: 12,
  output_tokens_details: { reasoning_tokens: 5 },
  total_tokens: 32,
};

export const response = (output: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'gpt-5-pro',
  service_tier: 'default',
  output,
  usage: USAGE,
  ...more,
});

export const text = (words: string, more: JsonObject = {}) => ({
  type: 'output_text',
  text: words,
  annotations: [],
  logprobs: [],
  ...more,
});

export const message = (...content: readonly JsonObject[]) => ({
  type: 'message',
  id: `msg_${content.length}`,
  status: 'completed',
  role: 'assistant',
  content,
});

export const says = (words: string) => message(text(words));
export const thought = (id: string, ...summary: readonly string[]): JsonObject => ({
  type: 'reasoning',
  id,
  summary: summary.map((words) => ({ type: 'summary_text', text: words })),
  encrypted_content: `sealed ${id}`,
});
export const use = (call_id: string, given: unknown) => ({
  type: 'function_call',
  id: `fc_${call_id}`,
  call_id,
  name: 'weather',
  arguments: given,
  status: 'completed',
});
export const search = (id: string, type = 'search') => ({
  type: 'web_search_call',
  id,
  status: 'completed',
  action: { type, query: 'x' },
});

/** What a call of a function is in a chat. */
export const call = (id: string, given: string) => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: given },
});
