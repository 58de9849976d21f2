/** The models of embeddings at Bedrock, with sources: `docs/providers/amazon-bedrock.md#embeddings`. */
import type { Endpoint } from '../../../catalog/types.js';
import type { CallLimits } from '../../vectors/parts.js';

export interface EmbeddingModel {
  /** In whose form it is asked and answers. */
  readonly maker: 'amazon' | 'cohere';
  readonly limits: CallLimits;
  /** The numbers of dimensions that it has. */
  readonly dimensions: readonly number[];
  /** Whether a request may name one of them; else it has but one. */
  readonly takesDimensions: boolean;
}

const TITAN = { maker: 'amazon', limits: { inputs: 1 } } as const;
const COHERE = { maker: 'cohere', limits: { inputs: 96 } } as const;

/** By Amazon's names, and by those in catalogues. */
const MODELS: readonly (readonly [RegExp, EmbeddingModel])[] = [
  [/titan-embed-text-v2/, { ...TITAN, dimensions: [256, 512, 1024], takesDimensions: true }],
  [/titan-embed-(?:text-v1|g1-text)/, { ...TITAN, dimensions: [1536], takesDimensions: false }],
  [/embed-(?:english|multilingual)-v3/, { ...COHERE, dimensions: [1024], takesDimensions: false }],
  [/embed-v4/, { ...COHERE, dimensions: [256, 512, 1024, 1536], takesDimensions: true }],
];

/** undefined for models of which the gateway does not know how they are asked. */
export function embeddingModel({
  upstreamModelId,
  modelId,
}: Pick<Endpoint, 'upstreamModelId' | 'modelId'>): EmbeddingModel | undefined {
  // The ARN of an application inference profile does not contain the model's name.
  const name = upstreamModelId.startsWith('arn:') ? modelId : upstreamModelId;
  return MODELS.find(([pattern]) => pattern.test(name))?.[1];
}
