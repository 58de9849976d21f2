/** Which models stand behind endpoints, as far as what they are asked depends on it. */
import type { Endpoint } from '../../catalog/types.js';
import { type ModelTraits, traitsOf } from '../anthropic/model.js';

/** A model as requests see it. */
export interface Model {
  readonly family: 'claude' | 'nova' | 'gpt-oss' | 'other';
  /** Of Anthropic's models; they mean nothing for others. */
  readonly traits: ModelTraits;
  /** Whether prompts can be marked for its cache. */
  readonly takesCachePoints: boolean;
  /** Whether answers can be held to a schema. */
  readonly takesSchemas: boolean;
  readonly takesTopK: boolean;
  readonly maxCompletionTokens: number | null;
}

/** The model of an endpoint. */
export function modelOf(
  endpoint: Pick<Endpoint, 'upstreamModelId' | 'modelId' | 'supportedParameters' | 'maxCompletionTokens'>,
): Model {
  const { upstreamModelId, modelId, supportedParameters, maxCompletionTokens } = endpoint;
  // The name of an application's own profile says nothing of its model.
  const name = upstreamModelId.startsWith('arn:') ? modelId : upstreamModelId;
  const family = FAMILIES.find(([, pattern]) => pattern.test(name))?.[0] ?? 'other';
  const traits = traitsOf(name);
  return {
    family,
    traits,
    takesCachePoints: family === 'claude' || family === 'nova',
    takesSchemas:
      family === 'claude' ? traits.takesSchemas : supportedParameters.includes('structured_outputs'),
    takesTopK: family === 'claude' || family === 'nova' || supportedParameters.includes('top_k'),
    maxCompletionTokens,
  };
}

const FAMILIES: readonly (readonly [Model['family'], RegExp])[] = [
  ['claude', /claude/],
  ['nova', /\bnova-/],
  ['gpt-oss', /\bgpt-oss-/],
];
