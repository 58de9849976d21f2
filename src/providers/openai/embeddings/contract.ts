import type { EmbeddingsContract } from '../../../catalog/embeddings-contract.js';
import type { Endpoint, Provider } from '../../../catalog/types.js';
import { AZURE_RULES, type EmbeddingsRules, embeddingsRules } from './hosts.js';
import { rulesAt } from './request.js';

export const AZURE_CONTRACT = contractOf(AZURE_RULES);

/** A host that can't be told yet is known by its provider alone. */
export function embeddingsContract({ region }: Endpoint, provider: Provider): EmbeddingsContract {
  try {
    return contractOf(rulesAt({ provider, region }));
  } catch {
    return contractOf(embeddingsRules('', provider.slug));
  }
}

/** Numbers of dimensions are judged by the host, which knows its model's. */
function contractOf({ isTextOnly = false }: EmbeddingsRules): EmbeddingsContract {
  return { takesMedia: !isTextOnly, dimensions: 'any' };
}
