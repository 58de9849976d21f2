import type { EndpointStatus } from './types.js';

/** The enumerations of a model's record, in the order in which the API lists them. */

/** Parameters of a chat request that a model may support. */
export const PARAMETERS = [
  'temperature',
  'top_p',
  'top_k',
  'min_p',
  'top_a',
  'frequency_penalty',
  'presence_penalty',
  'repetition_penalty',
  'max_tokens',
  'max_completion_tokens',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'prediction',
  'seed',
  'response_format',
  'structured_outputs',
  'stop',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'include_reasoning',
  'reasoning',
  'reasoning_effort',
  'web_search_options',
  'verbosity',
] as const;

export const INPUT_MODALITIES = ['text', 'image', 'file', 'audio', 'video'] as const;

export const OUTPUT_MODALITIES = [
  'text',
  'image',
  'embeddings',
  'audio',
  'video',
  'rerank',
  'speech',
  'transcription',
] as const;

/** Prompt formats; null is another valid value. */
export const INSTRUCT_TYPES = [
  'none',
  'airoboros',
  'alpaca',
  'alpaca-modif',
  'chatml',
  'claude',
  'code-llama',
  'gemma',
  'llama2',
  'llama3',
  'mistral',
  'nemotron',
  'neural',
  'openchat',
  'phi3',
  'rwkv',
  'vicuna',
  'zephyr',
  'deepseek-r1',
  'deepseek-v3.1',
  'qwq',
  'qwen3',
] as const;

/** Tokenizer families. */
export const MODEL_GROUPS = [
  'Router',
  'Media',
  'Other',
  'GPT',
  'Claude',
  'Gemini',
  'Gemma',
  'Grok',
  'Cohere',
  'Nova',
  'Qwen',
  'Yi',
  'DeepSeek',
  'Mistral',
  'Llama2',
  'Llama3',
  'Llama4',
  'PaLM',
  'RWKV',
  'Qwen3',
] as const;

/** Highest first; null is another valid value. */
export const REASONING_EFFORTS = ['max', 'xhigh', 'high', 'medium', 'low', 'minimal', 'none'] as const;

/** `degraded` is tried last, `disabled` never. */
export const ENDPOINT_STATUSES = [
  'active',
  'degraded',
  'disabled',
] as const satisfies readonly EndpointStatus[];

/** The text form `<input>-><output>` of modalities, such as `text+image->text`. */
export function modalityOf(input: readonly string[], output: readonly string[]): string {
  return `${input.join('+')}->${output.join('+')}`;
}
