import type { AdapterName, Provider } from '../catalog/types.js';

/** Whether jobs can be run there. */
const BATCHES: Readonly<Record<AdapterName, boolean>> = {
  openai: false,
  anthropic: false,
  azure: false,
  'amazon-bedrock': false,
  'google-vertex': true,
  demo: false,
};

/** Whether jobs can be run at the provider; not at one that the catalogue does not have. */
export function hasBatches(provider: Pick<Provider, 'adapter'> | undefined): boolean {
  return provider !== undefined && BATCHES[provider.adapter];
}
