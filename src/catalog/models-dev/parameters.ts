import { PARAMETERS } from '../enums.js';
import type { AdapterName } from '../types.js';
import type { DevModel } from './document.js';

/** What a dialect takes besides temperature, top_p and stop where sampling can be set at all. */
const SAMPLING: Readonly<Record<AdapterName, readonly string[]>> = {
  openai: ['frequency_penalty', 'presence_penalty', 'seed'],
  azure: ['frequency_penalty', 'presence_penalty', 'seed'],
  anthropic: ['top_k'],
  'amazon-bedrock': [],
  'google-vertex': ['top_k', 'frequency_penalty', 'presence_penalty', 'seed'],
  demo: [],
};

/** Dialects whose models take stop sequences whether or not their sampling can be set. */
const ALWAYS_STOP: readonly AdapterName[] = ['anthropic', 'amazon-bedrock', 'google-vertex'];

/** Dialects that can be told not to call several tools at once. */
const PARALLEL_TOOL_CALLS: readonly AdapterName[] = ['openai', 'azure', 'anthropic'];

/**
 * The request parameters that the endpoint takes, from what the file says of the model and what the dialect has words
 * for. The file lists no parameters itself, so what neither tells is left out. Only models that write text take any.
 */
export function convertParameters(
  model: DevModel,
  dialect: AdapterName,
  outputModalities: readonly string[],
): readonly string[] {
  if (!outputModalities.includes('text')) return [];
  const hasEfforts = model.reasoningOptions.some((option) => option.type === 'effort');
  const names = new Set([
    'max_tokens',
    ...(model.temperature ? ['temperature', 'top_p', 'stop', ...SAMPLING[dialect]] : []),
    ...(ALWAYS_STOP.includes(dialect) ? ['stop'] : []),
    ...(model.toolCall ? ['tools', 'tool_choice'] : []),
    ...(model.toolCall && PARALLEL_TOOL_CALLS.includes(dialect) ? ['parallel_tool_calls'] : []),
    ...(model.structuredOutput ? ['response_format', 'structured_outputs'] : []),
    ...(model.reasoning ? ['reasoning', 'include_reasoning'] : []),
    ...(model.reasoning && hasEfforts ? ['reasoning_effort'] : []),
  ]);
  return PARAMETERS.filter((name) => names.has(name));
}
