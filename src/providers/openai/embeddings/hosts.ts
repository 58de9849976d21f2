/** What hosts of embeddings do otherwise than OpenAI, with sources: `docs/providers/openai-compatible.md#embeddings`. */
import type { HostName } from '../../../catalog/known-hosts.js';
import { MAX_INPUTS } from '../../../formats/embeddings/inputs.js';
import type { CallLimits } from '../../vectors/parts.js';

export interface EmbeddingsRules {
  readonly limits: CallLimits;
  /** Its names of members; null = it does not know them. */
  readonly members: Readonly<Record<string, string | null>>;
  /** Whether vectors that are asked for with fewer dimensions are not of length 1, as all others are. */
  readonly shortensUnevenly?: boolean;
}

const WITHOUT_TYPE = { input_type: null };

const AS_OPENAI: EmbeddingsRules = { limits: { inputs: MAX_INPUTS }, members: WITHOUT_TYPE };

/** The fewest that any of its models takes. */
const ALIBABA: EmbeddingsRules = { limits: { inputs: 10 }, members: WITHOUT_TYPE };

const RULES: { readonly [name in HostName]?: EmbeddingsRules } = {
  openai: AS_OPENAI,
  azure: AS_OPENAI,
  alibaba: ALIBABA,
  'alibaba-cn': ALIBABA,
  fireworks: AS_OPENAI,
  'google-ai-studio': { limits: { inputs: 100 }, members: WITHOUT_TYPE, shortensUnevenly: true },
  mistral: {
    limits: { inputs: 512, tokens: 16_384 },
    members: { ...WITHOUT_TYPE, dimensions: 'output_dimension', user: null },
  },
  'z-ai': { limits: { inputs: 64 }, members: WITHOUT_TYPE },
};

/** Nothing else is known of others, or they take all of it. */
const OTHERS: EmbeddingsRules = { limits: { inputs: MAX_INPUTS }, members: {} };

export function embeddingsRules(name: HostName | undefined): EmbeddingsRules {
  return (name && RULES[name]) ?? OTHERS;
}
