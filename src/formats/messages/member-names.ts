/** Messages' names of a chat's members, where they differ. */
export const MESSAGES_NAMES: ReadonlyMap<string, string> = new Map([
  ['max_completion_tokens', 'max_tokens'],
  ['parallel_tool_calls', 'tool_choice.disable_parallel_tool_use'],
  ['reasoning', 'thinking'],
  ['reasoning.effort', 'output_config.effort'],
  ['reasoning.enabled', 'thinking'],
  ['reasoning.max_tokens', 'thinking.budget_tokens'],
  ['reasoning_effort', 'thinking'],
  ['response_format', 'output_config.format'],
  ['stop', 'stop_sequences'],
  ['user', 'metadata'],
]);

/** By the chat's names: members without which the answer is still one to the same question. */
export const ADAPTABLE_MEMBERS: ReadonlyMap<string, string> = new Map([
  ['temperature', 'temperature'],
  ['top_p', 'top_p'],
  ['top_k', 'top_k'],
  ['stop', 'stop_sequences'],
  ['service_tier', 'service_tier'],
  ['user', 'metadata'],
  ['context_management', 'context_management'],
]);
