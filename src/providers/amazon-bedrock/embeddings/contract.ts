import type { EmbeddingsContract } from '../../../catalog/embeddings-contract.js';
import type { Endpoint } from '../../../catalog/types.js';
import { embeddingModel } from './models.js';

/** Images have a price of their own, which no catalogue has: `docs/providers/amazon-bedrock.md#embeddings`. */
export function embeddingsContract(endpoint: Endpoint): EmbeddingsContract {
  return { takesMedia: false, dimensions: embeddingModel(endpoint)?.dimensions ?? 'any' };
}
