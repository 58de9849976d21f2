import { PARAMETERS } from '../enums.js';
import type { AdapterName } from '../types.js';
import type { DevModel } from './document.js';

/** Parameters of a protocol, beyond those of all. */
interface ProtocolParameters {
  /** Of models that take temperature, top_p and stop. */
  readonly sampling: readonly string[];
  /** Of all models. */
  readonly always: readonly string[];
  /** Of models that call tools. */
  readonly tools: readonly string[];
}

const OPENAI: ProtocolParameters = {
  sampling: ['frequency_penalty', 'presence_penalty', 'seed'],
  always: [],
  tools: ['parallel_tool_calls'],
};

const PARAMETERS_BY_PROTOCOL: Readonly<Record<AdapterName, ProtocolParameters>> = {
  openai: OPENAI,
  azure: OPENAI,
  anthropic: { sampling: ['top_k'], always: ['stop'], tools: ['parallel_tool_calls'] },
  'amazon-bedrock': { sampling: [], always: ['stop'], tools: [] },
  'google-vertex': {
    sampling: ['top_k', 'frequency_penalty', 'presence_penalty', 'seed'],
    always: ['stop'],
    tools: [],
  },
  demo: { sampling: [], always: [], tools: [] },
};

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
  const own = PARAMETERS_BY_PROTOCOL[protocol];
  const hasEfforts = model.reasoningOptions.some((option) => option.type === 'effort');
  const names = new Set([
    'max_tokens',
    'max_completion_tokens',
    ...(model.temperature ? ['temperature', 'top_p', 'stop', ...own.sampling] : []),
    ...own.always,
    ...(model.toolCall ? ['tools', 'tool_choice', ...own.tools] : []),
    ...(model.structuredOutput ? ['response_format', 'structured_outputs'] : []),
    ...(model.reasoning ? ['reasoning', 'include_reasoning'] : []),
    ...(model.reasoning && hasEfforts ? ['reasoning_effort'] : []),
  ]);
  return PARAMETERS.filter((name) => names.has(name));
}
