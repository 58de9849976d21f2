/** Google's models of embeddings, with sources: `docs/providers/google-vertex.md#embeddings`. */
import type { CallLimits } from '../../vectors/parts.js';

export interface EmbeddingModel {
  /** Google's own name, with the version where it has one. */
  readonly name: string;
  readonly limits: CallLimits;
  /** Whether vectors with fewer dimensions than the model has are not of length 1, as all others are. */
  readonly shortensUnevenly: boolean;
}

const MAX_TOKENS = 20_000;

const GEMINI = { limits: { inputs: 1 }, shortensUnevenly: true };
const TEXTS = { limits: { inputs: 250, tokens: MAX_TOKENS }, shortensUnevenly: false };

const MODEL_ID =
  /^(?:publishers\/google\/models\/|google\/)?((gemini-embedding-001|text-embedding-00[45]|text-multilingual-embedding-002)(?:@\w+)?)$/;

/** undefined for models of which the gateway does not know how they are asked. */
export function embeddingModel(upstreamModelId: string): EmbeddingModel | undefined {
  const [, name, model] = MODEL_ID.exec(upstreamModelId) ?? [];
  if (name === undefined) return undefined;
  return { name, ...(model === 'gemini-embedding-001' ? GEMINI : TEXTS) };
}
