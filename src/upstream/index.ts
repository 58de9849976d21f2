import type { AdapterName } from '../catalog/types.js';
import type { UpstreamAdapter } from '../chat/adapter.js';
import { demoAdapter } from './demo.js';

/** The protocols that are spoken, by the adapter that the catalogue names for a provider. */
export const ADAPTERS: ReadonlyMap<AdapterName, UpstreamAdapter> = new Map<AdapterName, UpstreamAdapter>([
  ['demo', demoAdapter],
]);
