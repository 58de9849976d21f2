import type { JsonObject } from '../../formats/chat/types.js';
import type { UpstreamUsage } from '../../inference/attempts/adapter.js';
import { isObject, members } from '../http/json.js';

type Counts = { -readonly [K in keyof UpstreamUsage]: UpstreamUsage[K] };

/** The usage of an answer or a chunk, also in Groq's member `x_groq`; undefined without any. */
export function usageOf(answer: JsonObject): UpstreamUsage | undefined {
  const usage = isObject(answer.usage) ? answer.usage : members(answer.x_groq).usage;
  return isObject(usage) ? readUsage(usage) : undefined;
}

/** Reads counts under all names that providers use; missing ones and nulls stay undefined. */
function readUsage(usage: JsonObject): UpstreamUsage {
  const prompt = members(usage.prompt_tokens_details);
  const completion = members(usage.completion_tokens_details);
  const counts: Counts = {};
  put(counts, 'promptTokens', usage.prompt_tokens);
  put(counts, 'cachedTokens', prompt.cached_tokens ?? usage.prompt_cache_hit_tokens);
  put(counts, 'cacheWriteTokens', prompt.cache_write_tokens);
  put(counts, 'audioTokens', prompt.audio_tokens);
  put(counts, 'imageTokens', prompt.image_tokens);
  put(counts, 'completionTokens', usage.completion_tokens);
  put(counts, 'reasoningTokens', completion.reasoning_tokens);
  put(counts, 'completionAudioTokens', completion.audio_tokens);
  put(counts, 'webSearches', members(usage.server_tool_use).web_search_requests ?? usage.num_search_queries);
  return withReasoningInside(counts, usage.total_tokens);
}

/** Some providers count reasoning beside the completion, which only the total shows; here it is part of it. */
function withReasoningInside(counts: Counts, total: unknown): UpstreamUsage {
  const { promptTokens, completionTokens, reasoningTokens } = counts;
  if (promptTokens === undefined || completionTokens === undefined || !reasoningTokens) return counts;
  const isBeside = total === promptTokens + completionTokens + reasoningTokens;
  return isBeside ? { ...counts, completionTokens: completionTokens + reasoningTokens } : counts;
}

function put(counts: Counts, name: keyof Counts, value: unknown): void {
  if (typeof value === 'number') counts[name] = value;
}
