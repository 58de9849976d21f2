/** What hosts of embeddings do otherwise than OpenAI, with sources: `docs/providers/openai-compatible.md#embeddings`. */
import { type VectorHostName, vectorHostNamed } from '../../../catalog/known-hosts.js';
import { MAX_INPUTS, MAX_TOKENS } from '../../../formats/embeddings/inputs.js';
import type { JsonObject } from '../../../formats/json.js';
import type { CallLimits } from '../../vectors/parts.js';

export interface EmbeddingsRules {
  readonly limits: CallLimits;
  /** Its names of members; null = it does not know them. All are asked for numbers by `encoding_format`, unless it stands here. */
  readonly members: Readonly<Record<string, string | null>>;
  /** Its words of `input_type` for the usual ones; null = it has none. Others pass. */
  readonly inputTypes?: Readonly<Record<string, string | null>>;
  /** What it is asked where the request does not say it. */
  readonly asked?: JsonObject;
  /** Whether it takes texts and tokens alone, whatever the model. */
  readonly isTextOnly?: boolean;
  /** Whether vectors that are asked for with fewer dimensions are not of length 1, as all others are. */
  readonly shortensUnevenly?: boolean;
}

const WITHOUT_TYPE = { input_type: null };

const OPENAI: EmbeddingsRules = {
  limits: { inputs: MAX_INPUTS, tokens: MAX_TOKENS },
  members: WITHOUT_TYPE,
  isTextOnly: true,
};

export const AZURE_RULES = OPENAI;

/** The fewest that any of its models takes. */
const ALIBABA: EmbeddingsRules = { limits: { inputs: 10 }, members: WITHOUT_TYPE, isTextOnly: true };

const SILICONFLOW: EmbeddingsRules = { limits: { inputs: 64 }, members: {} };

const RULES: { readonly [name in VectorHostName]?: EmbeddingsRules } = {
  openai: OPENAI,
  alibaba: ALIBABA,
  'alibaba-cn': ALIBABA,
  deepinfra: { limits: { inputs: 1024 }, members: {} },
  fireworks: { ...OPENAI, limits: { inputs: MAX_INPUTS } },
  'google-ai-studio': { limits: { inputs: 100 }, members: WITHOUT_TYPE, shortensUnevenly: true },
  jina: {
    limits: { inputs: 512 },
    members: { encoding_format: null, user: null, input_type: 'task' },
    inputTypes: {
      search_query: 'retrieval.query',
      search_document: 'retrieval.passage',
      clustering: 'separation',
    },
  },
  mistral: {
    limits: { inputs: 512, tokens: 16_384 },
    members: { ...WITHOUT_TYPE, dimensions: 'output_dimension', user: null },
    isTextOnly: true,
  },
  nvidia: {
    limits: { inputs: MAX_INPUTS },
    members: {},
    inputTypes: { search_query: 'query', search_document: 'passage', classification: null, clustering: null },
    // Models that tell queries from what is searched demand it; what is embedded is mostly to be found.
    asked: { input_type: 'passage' },
    isTextOnly: true,
  },
  siliconflow: SILICONFLOW,
  'siliconflow-cn': SILICONFLOW,
  voyage: {
    // The fewest tokens that any of its models takes.
    limits: { inputs: 1000, tokens: 120_000 },
    members: { encoding_format: null, user: null, dimensions: 'output_dimension' },
    inputTypes: {
      search_query: 'query',
      search_document: 'document',
      classification: null,
      clustering: null,
    },
    // It cuts what is too long unless it is told not to.
    asked: { truncation: false },
  },
  'z-ai': { limits: { inputs: 64 }, members: WITHOUT_TYPE },
};

/** Nothing else is known of others, or they take all of it. */
const OTHERS: EmbeddingsRules = { limits: { inputs: MAX_INPUTS }, members: {} };

/** By the host that is called, else by the provider's slug, as behind a proxy. */
export function embeddingsRules(host: string, slug: string): EmbeddingsRules {
  const name = vectorHostNamed(host, slug);
  return (name && RULES[name]) ?? OTHERS;
}
