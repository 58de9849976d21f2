/** Text completions' names of a chat's members, where they differ. */
export const COMPLETIONS_NAMES: ReadonlyMap<string, string> = new Map([
  ['max_completion_tokens', 'max_tokens'],
  ['messages', 'prompt'],
]);

/** Members without which the answer is still one to the same question. */
export const ADAPTABLE_IN_COMPLETIONS: ReadonlyMap<string, string> = new Map(
  [
    'temperature',
    'top_p',
    'top_k',
    'min_p',
    'frequency_penalty',
    'presence_penalty',
    'repetition_penalty',
    'seed',
    'logit_bias',
    'service_tier',
    'user',
    'safety_identifier',
    'prompt_cache_key',
    'metadata',
  ].map((name) => [name, name]),
);
