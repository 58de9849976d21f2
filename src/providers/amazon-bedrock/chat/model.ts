/** The properties of a model that requests depend on. */
import type { Endpoint } from '../../../catalog/types.js';
import { type ModelTraits, traitsOf } from '../../anthropic/host/model.js';

export interface BedrockModel {
  readonly family: 'claude' | 'nova' | 'llama' | 'mistral' | 'deepseek' | 'gpt-oss' | 'other';
  /** Meaningful only for Anthropic's models. */
  readonly traits: ModelTraits;
  readonly takesCachePoints: boolean;
  readonly takesCachePointsOfTools: boolean;
  /** Whether a cache may be kept for an hour. */
  readonly keepsCacheAnHour: boolean;
  /** Whether it may use tools in a stream. */
  readonly streamsTools: boolean;
  /** Whether its system prompt may have several texts. */
  readonly takesSystemTexts: boolean;
  /** Whether it accepts a JSON schema for its answer. */
  readonly takesSchemas: boolean;
  readonly takesTopK: boolean;
  readonly maxCompletionTokens: number | null;
}

export function modelOf(
  endpoint: Pick<Endpoint, 'upstreamModelId' | 'modelId' | 'supportedParameters' | 'maxCompletionTokens'>,
): BedrockModel {
  const { upstreamModelId, modelId, supportedParameters, maxCompletionTokens } = endpoint;
  // The ARN of an application inference profile does not contain the model's name.
  const name = upstreamModelId.startsWith('arn:') ? modelId : upstreamModelId;
  const family = FAMILIES.find(([, pattern]) => pattern.test(name))?.[0] ?? 'other';
  const traits = traitsOf(name);
  return {
    family,
    traits,
    takesCachePoints: family === 'claude' || family === 'nova',
    takesCachePointsOfTools: family === 'claude',
    keepsCacheAnHour: family === 'claude',
    streamsTools: family !== 'llama' && family !== 'mistral' && family !== 'deepseek',
    takesSystemTexts: family !== 'nova',
    takesSchemas:
      family === 'claude' ? traits.takesSchemas : supportedParameters.includes('structured_outputs'),
    takesTopK:
      family === 'claude' ||
      family === 'nova' ||
      (family !== 'llama' && supportedParameters.includes('top_k')),
    maxCompletionTokens,
  };
}

const FAMILIES: readonly (readonly [BedrockModel['family'], RegExp])[] = [
  ['claude', /claude/],
  ['nova', /\bnova-/],
  ['gpt-oss', /\bgpt-oss-/],
  ['deepseek', /deepseek/],
  ['llama', /llama/],
  ['mistral', /mi[sx]tral|\bmistral\./],
];
