/** Lists the members of a request that can't contain members of other APIs that a host acts on. */

/** Members that are read elsewhere, or in which hosts act on nothing. */
const OPAQUE: ReadonlySet<string> = new Set([
  'messages',
  'input',
  'instructions',
  'system',
  'tools',
  'functions',
  'tool_choice',
  'parallel_tool_calls',
  'response_format',
  'prediction',
  'reasoning',
  'reasoning_effort',
  'include_reasoning',
  'output_config',
  'output_format',
  'max_tokens',
  'max_completion_tokens',
  'provider',
  'models',
  'model',
  'metadata',
  'client_metadata',
  'labels',
  'user',
  'logit_bias',
  'stop',
  'stop_sequences',
  'stream',
  'stream_options',
  'temperature',
  'top_p',
  'top_k',
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'logprobs',
  'top_logprobs',
  'cache_control',
  'web_search_options',
  'chat_template_kwargs',
  'requestMetadata',
]);

/** Whether the search for members stops at this one. */
export function isOpaque(name: string): boolean {
  return OPAQUE.has(name);
}

/** Whether the member is a JSON Schema. Its own members (`maxLength`) only look like those of a request. */
export function isSchema(name: string): boolean {
  return SCHEMA.test(name);
}

const SCHEMA = /schema$|^guided_/i;
