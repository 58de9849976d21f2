/**
 * Different names of one model that the spelling rules do not unify, as they are after those rules; a name with a
 * provider's prefix applies to that provider only. Maintained by hand: each line is a fact about models, not a rule.
 */
export const JOINS: Readonly<Record<string, string>> = {
  // Anthropic's undated names stand for these dated ones.
  'claude-3-haiku-20240307': 'claude-3-haiku',
  'claude-3-opus-20240229': 'claude-3-opus',
  'claude-3-sonnet-20240229': 'claude-3-sonnet',
  'claude-3.5-haiku-20241022': 'claude-3.5-haiku',
  'claude-3.5-sonnet-20241022': 'claude-3.5-sonnet',
  'claude-3.7-sonnet-20250219': 'claude-3.7-sonnet',
  'claude-haiku-4.5-20251001': 'claude-haiku-4.5',
  'claude-opus-4-20250514': 'claude-opus-4',
  'claude-opus-4.0': 'claude-opus-4',
  'claude-opus-4.1-20250805': 'claude-opus-4.1',
  'claude-opus-4.5-20251101': 'claude-opus-4.5',
  'claude-opus-4.6-v1': 'claude-opus-4.6',
  'claude-sonnet-4-20250514': 'claude-sonnet-4',
  'claude-sonnet-4.0': 'claude-sonnet-4',
  'claude-sonnet-4.5-20250929': 'claude-sonnet-4.5',

  // Mistral: aliases, and the names of its weights.
  'codestral-latest': 'codestral',
  'devstral-2-123b': 'devstral-2512',
  'devstral-latest': 'devstral-2512',
  'devstral-medium-latest': 'devstral-2512',
  'magistral-medium-latest': 'magistral-medium',
  'ministral-3b-latest': 'ministral-3b',
  'ministral-8b-latest': 'ministral-8b',
  'mistral-large-3-675b-instruct': 'mistral-large-2512',
  'mistral-large-latest': 'mistral-large-2512',
  'mistral-medium-latest': 'mistral-medium-2508',
  'mistral-nemo-12b-instruct': 'mistral-nemo',
  'mistral-nemo-instruct-2407': 'mistral-nemo',
  'mistral-small-latest': 'mistral-small-2603',
  'open-mistral-nemo': 'mistral-nemo',
  'pixtral-large-latest': 'pixtral-large',

  // Llama: hosts' names for the instruct weights.
  'llama-3.1-8b-instant': 'llama-3.1-8b-instruct',
  'llama-3.3-70b-instruct-turbo': 'llama-3.3-70b-instruct',
  'llama-3.3-70b-versatile': 'llama-3.3-70b-instruct',
  'llama-4-maverick-17b-128e-instruct': 'llama-4-maverick',
  'llama-4-maverick-17b-instruct': 'llama-4-maverick',
  'llama-4-scout-17b-16e-instruct': 'llama-4-scout',
  'llama-4-scout-17b-instruct': 'llama-4-scout',

  // Qwen: Bedrock and Together drop or add a word.
  'amazon-bedrock:qwen3-235b-a22b-2507': 'qwen3-235b-a22b-instruct-2507',
  'amazon-bedrock:qwen3-coder-30b-a3b': 'qwen3-coder-30b-a3b-instruct',
  'amazon-bedrock:qwen3-coder-480b-a35b': 'qwen3-coder-480b-a35b-instruct',
  'amazon-bedrock:qwen3-next-80b-a3b': 'qwen3-next-80b-a3b-instruct',
  'qwen3-235b-a22b-instruct-2507-tput': 'qwen3-235b-a22b-instruct-2507',

  // Others.
  'amazon-bedrock:deepseek-v3': 'deepseek-v3.1',
  'command-a-03-2025': 'command-a',
  'deepseek-r1-distill-qwen-1-5b': 'deepseek-r1-distill-qwen-1.5b',
  'embed-v-4-0': 'embed-v4.0',
  'kimi-k2-0711': 'kimi-k2',
  'kimi-k2-instruct': 'kimi-k2',
  'kimi-k2-instruct-0905': 'kimi-k2-0905',
  'nemotron-120b-a12b': 'nemotron-3-super-120b-a12b',
  'nemotron-nano-3-30b': 'nemotron-3-nano-30b-a3b',
  'nemotron-super-3-120b': 'nemotron-3-super-120b-a12b',
};
