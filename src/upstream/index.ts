import type { AdapterName } from '../catalog/types.js';
import type { UpstreamAdapter } from '../chat/adapter.js';
import { demoAdapter } from './demo.js';

/** Protocols by the adapter that the catalogue names for a provider. */
export type Adapters = ReadonlyMap<AdapterName, UpstreamAdapter>;

/** The protocols that are served. `openai` joins them together with charging: no traffic comes before its limits. */
export const ADAPTERS: Adapters = new Map<AdapterName, UpstreamAdapter>([['demo', demoAdapter]]);
