import { PARAMETERS } from '../enums.js';
import type { AdapterName } from '../types.js';
import type { DevModel } from './document.js';

/** Sampling parameters of a protocol besides temperature, top_p and stop. */
const SAMPLING: Readonly<Record<AdapterName, readonly string[]>> = {
  openai: ['frequency_penalty', 'presence_penalty', 'seed'],
  azure: ['frequency_penalty', 'presence_penalty', 'seed'],
  anthropic: ['top_k'],
  'amazon-bedrock': [],
  'google-vertex': ['top_k', 'frequency_penalty', 'presence_penalty', 'seed'],
  demo: [],
};

/** Protocols that take stop sequences even for models without sampling parameters. */
const ALWAYS_STOP: readonly AdapterName[] = ['anthropic', 'amazon-bedrock', 'google-vertex'];

/** Protocols that have `parallel_tool_calls`. */
const PARALLEL_TOOL_CALLS: readonly AdapterName[] = ['openai', 'azure', 'anthropic'];

/**
 * The endpoint's request parameters, derived from the model's capabilities and its protocol, since the file lists no
 * parameters itself. Only models with text output have any.
 */
export function convertParameters(
  model: DevModel,
  protocol: AdapterName,
  outputModalities: readonly string[],
): readonly string[] {
  if (!outputModalities.includes('text')) return [];
  const hasEfforts = model.reasoningOptions.some((option) => option.type === 'effort');
  const names = new Set([
    'max_tokens',
    'max_completion_tokens',
    ...(model.temperature ? ['temperature', 'top_p', 'stop', ...SAMPLING[protocol]] : []),
    ...(ALWAYS_STOP.includes(protocol) ? ['stop'] : []),
    ...(model.toolCall ? ['tools', 'tool_choice'] : []),
    ...(model.toolCall && PARALLEL_TOOL_CALLS.includes(protocol) ? ['parallel_tool_calls'] : []),
    ...(model.structuredOutput ? ['response_format', 'structured_outputs'] : []),
    ...(model.reasoning ? ['reasoning', 'include_reasoning'] : []),
    ...(model.reasoning && hasEfforts ? ['reasoning_effort'] : []),
  ]);
  return PARAMETERS.filter((name) => names.has(name));
}
