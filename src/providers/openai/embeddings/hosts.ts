/** What hosts of embeddings do otherwise than OpenAI: `docs/embeddings.md#hosts`, with sources. */
import type { HostName } from '../../../catalog/known-hosts.js';
import { MAX_INPUTS } from '../../../formats/embeddings/inputs.js';

export interface EmbeddingsRules {
  readonly maxInputs: number;
  /** Its names of members; null = it refuses them. */
  readonly members: Readonly<Record<string, string | null>>;
}

const AS_OPENAI: EmbeddingsRules = { maxInputs: MAX_INPUTS, members: { input_type: null } };

const RULES: { readonly [name in HostName]?: EmbeddingsRules } = {
  openai: AS_OPENAI,
  azure: AS_OPENAI,
  alibaba: { maxInputs: 10, members: { input_type: null } },
  'alibaba-cn': { maxInputs: 10, members: { input_type: null } },
  fireworks: { maxInputs: 256, members: { input_type: null } },
  'google-ai-studio': { maxInputs: 100, members: { input_type: null } },
  mistral: { maxInputs: MAX_INPUTS, members: { dimensions: 'output_dimension', input_type: null } },
};

/** Nothing is known of others. */
const UNKNOWN: EmbeddingsRules = { maxInputs: MAX_INPUTS, members: {} };

export function embeddingsRules(name: HostName | undefined): EmbeddingsRules {
  return (name && RULES[name]) ?? UNKNOWN;
}
