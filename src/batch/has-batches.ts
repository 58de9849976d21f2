import type { AdapterName, Provider } from '../catalog/types.js';

/** Whether an adapter's hosts run batch jobs. */
const BATCHES: Readonly<Record<AdapterName, boolean>> = {
  openai: false,
  anthropic: false,
  azure: false,
  'amazon-bedrock': false,
  'google-vertex': true,
  demo: false,
};

/** Whether the provider runs batch jobs; false for one that the catalogue does not have. */
export function hasBatches(provider: Pick<Provider, 'adapter'> | undefined): boolean {
  return provider !== undefined && BATCHES[provider.adapter];
}
