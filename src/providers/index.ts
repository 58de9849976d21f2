import type { Clock } from '../base/clock.js';
import type { BatchUpstream } from '../batch/ports.js';
import type { AdapterName } from '../catalog/types.js';
import type { UpstreamAdapter } from '../inference/attempts/adapter.js';
import { createBedrockAdapter } from './amazon-bedrock/adapter.js';
import { createAnthropicAdapter } from './anthropic/adapter.js';
import { createAzureAdapter } from './azure/adapter.js';
import { demoAdapter } from './demo/adapter.js';
import { createVertexAdapter } from './google-vertex/adapter.js';
import { vertexBatches } from './google-vertex/batches.js';
import { AccessTokens } from './google-vertex/token.js';
import { guardedConnector } from './http/connect.js';
import { createHttp } from './http/http.js';
import { createOpenAiAdapter } from './openai/adapter.js';

/** Protocols by the adapter that the catalogue names for a provider. */
export type Adapters = ReadonlyMap<AdapterName, UpstreamAdapter>;

/** All ways to the providers. */
export interface Upstream {
  readonly adapters: Adapters;
  readonly batches: BatchUpstream;
  /** Breaks all connections. */
  close(): Promise<void>;
}

/** What the ways to the providers depend on. */
export interface UpstreamDependencies {
  readonly clock: Clock;
  /** Lets URLs that credentials name lead to private addresses (`BYWAY_ALLOW_PRIVATE_UPSTREAMS`). */
  readonly allowPrivateUpstreams: boolean;
}

/** The protocols that are served, with connections of their own. What the operator's catalogue names is trusted. */
export function createUpstream({ clock, allowPrivateUpstreams }: UpstreamDependencies): Upstream {
  const http = createHttp();
  const guardedHttp = allowPrivateUpstreams ? http : createHttp(guardedConnector());
  const vertexTokens = new AccessTokens({ http, guardedHttp, clock });
  const byName = {
    demo: demoAdapter,
    openai: createOpenAiAdapter({ http, clock }),
    anthropic: createAnthropicAdapter({ http, clock }),
    azure: createAzureAdapter({ http, guardedHttp, clock }),
    'amazon-bedrock': createBedrockAdapter({ http, clock }),
    'google-vertex': createVertexAdapter({ http, clock, tokens: vertexTokens }),
  };
  return {
    // Each is called with the credentials of its own providers alone.
    adapters: new Map(Object.entries(byName) as [AdapterName, UpstreamAdapter][]),
    batches: vertexBatches({ http, clock, tokens: vertexTokens }),
    async close() {
      await http.close();
      if (guardedHttp !== http) await guardedHttp.close();
    },
  };
}
