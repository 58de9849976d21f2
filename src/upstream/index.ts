import type { Clock } from '../base/clock.js';
import type { AdapterName } from '../catalog/types.js';
import type { UpstreamAdapter } from '../chat/adapter.js';
import { demoAdapter } from './demo.js';
import { createHttp } from './http.js';
import { createOpenAiAdapter } from './openai.js';

/** The way to the providers. */
export interface Upstream {
  /** The protocols that are spoken, by the adapter that the catalogue names for a provider. */
  readonly adapters: ReadonlyMap<AdapterName, UpstreamAdapter>;
  /** Breaks all connections. */
  close(): Promise<void>;
}

/** All adapters, over connections of their own. */
export function createUpstream({ clock }: { readonly clock: Clock }): Upstream {
  const http = createHttp();
  return {
    adapters: new Map<AdapterName, UpstreamAdapter>([
      ['demo', demoAdapter],
      ['openai', createOpenAiAdapter({ http, clock })],
    ]),
    close: () => http.close(),
  };
}
