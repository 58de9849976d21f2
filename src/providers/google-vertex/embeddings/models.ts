/** Google's models of embeddings, with sources: `docs/providers/google-vertex.md#embeddings`. */
import type { CallLimits } from '../../vectors/parts.js';

export interface EmbeddingModel {
  /** By which it is asked. */
  readonly method: 'predict' | 'embedContent';
  /** Google's own name, with the version where it has one. */
  readonly name: string;
  readonly limits: CallLimits;
  /** Whether vectors with fewer dimensions than the model has are not of length 1, as all others are. */
  readonly shortensUnevenly: boolean;
}

const MAX_TOKENS = 20_000;

const GEMINI = { method: 'predict', limits: { inputs: 1 }, shortensUnevenly: true } as const;
const GEMINI_2 = { ...GEMINI, method: 'embedContent' } as const;
const TEXTS = {
  method: 'predict',
  limits: { inputs: 250, tokens: MAX_TOKENS },
  shortensUnevenly: false,
} as const;

const MODELS = new Map<string, Omit<EmbeddingModel, 'name'>>([
  ['gemini-embedding-001', GEMINI],
  ['gemini-embedding-2', GEMINI_2],
  ['gemini-embedding-2-preview', GEMINI_2],
  ['text-embedding-004', TEXTS],
  ['text-embedding-005', TEXTS],
  ['text-multilingual-embedding-002', TEXTS],
]);

const MODEL_ID = /^(?:publishers\/google\/models\/|google\/)?(([\w-]+)(?:@\w+)?)$/;

/** undefined for models of which the gateway does not know how they are asked. */
export function embeddingModel(upstreamModelId: string): EmbeddingModel | undefined {
  const [, name = '', model = ''] = MODEL_ID.exec(upstreamModelId) ?? [];
  const known = MODELS.get(model);
  return known && { name, ...known };
}
