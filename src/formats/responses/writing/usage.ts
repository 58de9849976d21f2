import type { Usage } from '../../chat/types.js';
import type { JsonObject } from '../../json.js';
import type { ResponseUsage } from '../types.js';

/** Tokens of caches are counted as in a chat: within the prompt. */
export function responseUsage(usage: Usage): ResponseUsage {
  return {
    input_tokens: usage.prompt_tokens,
    input_tokens_details: {
      cached_tokens: usage.prompt_tokens_details.cached_tokens,
      cache_write_tokens: usage.prompt_tokens_details.cache_write_tokens,
    },
    output_tokens: usage.completion_tokens,
    output_tokens_details: { reasoning_tokens: usage.completion_tokens_details.reasoning_tokens },
    total_tokens: usage.total_tokens,
    ...costOf(usage),
  };
}

/** What the gateway adds to a usage, whoever wrote it. */
export function costOf({ cost, is_byok, cost_details }: Usage) {
  return {
    cost,
    is_byok,
    cost_details: {
      upstream_inference_cost: cost_details.upstream_inference_cost,
      upstream_inference_input_cost: cost_details.upstream_inference_prompt_cost,
      upstream_inference_output_cost: cost_details.upstream_inference_completions_cost,
    } satisfies JsonObject,
  };
}
