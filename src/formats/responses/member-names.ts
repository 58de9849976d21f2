/** Responses' names of a chat's members, where they differ. */
export const RESPONSES_NAMES: ReadonlyMap<string, string> = new Map([
  ['logprobs', 'include'],
  ['max_completion_tokens', 'max_output_tokens'],
  ['max_tokens', 'max_output_tokens'],
  ['messages', 'input'],
  ['reasoning_effort', 'reasoning.effort'],
  ['response_format', 'text.format'],
  ['verbosity', 'text.verbosity'],
]);

/** By the chat's names: members without which the answer is still one to the same question. */
export const ADAPTABLE_IN_RESPONSES: ReadonlyMap<string, string> = new Map([
  ['temperature', 'temperature'],
  ['top_p', 'top_p'],
  ['top_logprobs', 'top_logprobs'],
  ['parallel_tool_calls', 'parallel_tool_calls'],
  ['service_tier', 'service_tier'],
  ['user', 'user'],
  ['safety_identifier', 'safety_identifier'],
  ['metadata', 'metadata'],
  ['prompt_cache_key', 'prompt_cache_key'],
  ['verbosity', 'text'],
  ['reasoning_effort', 'reasoning'],
  ['prompt_cache_retention', 'prompt_cache_retention'],
  ['truncation', 'truncation'],
  ['client_metadata', 'client_metadata'],
  ['stream_options', 'stream_options'],
]);
