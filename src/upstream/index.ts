import type { Clock } from '../base/clock.js';
import type { AdapterName } from '../catalog/types.js';
import type { UpstreamAdapter } from '../chat/adapter.js';
import { demoAdapter } from './demo.js';
import { createHttp } from './http.js';
import { createOpenAiAdapter } from './openai.js';

/** Protocols by the adapter that the catalogue names for a provider. */
export type Adapters = ReadonlyMap<AdapterName, UpstreamAdapter>;

/** All ways to the providers. */
export interface Upstream {
  readonly adapters: Adapters;
  /** Breaks all connections. */
  close(): Promise<void>;
}

/** The protocols that are served, with connections of their own. */
export function createUpstream(clock: Clock): Upstream {
  const http = createHttp();
  const adapters: [AdapterName, UpstreamAdapter][] = [
    ['demo', demoAdapter],
    ['openai', createOpenAiAdapter({ http, clock }) as UpstreamAdapter],
  ];
  return { adapters: new Map(adapters), close: () => http.close() };
}
