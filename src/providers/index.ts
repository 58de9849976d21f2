import type { Clock } from '../base/clock.js';
import { NO_PROXIES, type Proxies } from '../base/proxies.js';
import type { BatchUpstream } from '../batch/ports.js';
import type { AdapterName } from '../catalog/types.js';
import type { UpstreamAdapter } from '../inference/ports/adapter.js';
import { createBedrockAdapter } from './amazon-bedrock/adapter.js';
import { createAnthropicAdapter } from './anthropic/adapter.js';
import { createAzureAdapter } from './azure/adapter.js';
import { demoAdapter } from './demo/adapter.js';
import { createVertexAdapter } from './google-vertex/adapter.js';
import { vertexJobs } from './google-vertex/batch-jobs.js';
import { linesOver } from './google-vertex/batch-lines.js';
import type { GoogleDependencies } from './google-vertex/google-client.js';
import { googleStorage } from './google-vertex/storage.js';
import { AccessTokens } from './google-vertex/token.js';
import { guardedConnector } from './http/guard.js';
import { createHttp, createTrustedHttp } from './http/http.js';
import { createInlineMedia } from './inline-media.js';
import { createOpenAiAdapter } from './openai/adapter.js';

/** Adapters by the name that the catalogue has for a provider's protocol. */
export type Adapters = ReadonlyMap<AdapterName, UpstreamAdapter>;

export interface Upstream {
  readonly adapters: Adapters;
  readonly batches: BatchUpstream;
  /** Loads what the first call needs. */
  warmUp(): void;
  /** Breaks all connections. */
  close(): Promise<void>;
}

export interface UpstreamDependencies {
  readonly clock: Clock;
  /** Lets URLs that credentials name lead to private addresses (`BYWAY_ALLOW_PRIVATE_UPSTREAMS`). */
  readonly allowPrivateUpstreams: boolean;
  /** Requests that an account may have in flight at one host (`BYWAY_MAX_IN_FLIGHT_PER_ACCOUNT`); null = `admitsAtHost`. */
  readonly maxInFlightPerAccount?: number | null;
  /** Between the gateway and everything that it calls; none by default. */
  readonly proxies?: Proxies;
}

/** All adapters, with connections of their own. Hosts that the operator's catalogue names are trusted. */
export function createUpstream({
  clock,
  allowPrivateUpstreams,
  maxInFlightPerAccount,
  proxies = NO_PROXIES,
}: UpstreamDependencies): Upstream {
  const maxOfAccount = maxInFlightPerAccount ?? undefined;
  const http = createTrustedHttp(proxies, maxOfAccount);
  const guardedHttp = allowPrivateUpstreams
    ? http
    : createHttp(guardedConnector(undefined, proxies), maxOfAccount);
  const vertexTokens = new AccessTokens({ http, guardedHttp, clock });
  const inlineMedia = createInlineMedia({ guardedHttp, allowHttp: allowPrivateUpstreams });
  const byName = {
    demo: demoAdapter,
    openai: createOpenAiAdapter({ http, clock }),
    anthropic: createAnthropicAdapter({ http, clock }),
    azure: createAzureAdapter({ http, guardedHttp, clock }),
    'amazon-bedrock': createBedrockAdapter({ http, clock, inlineMedia }),
    'google-vertex': createVertexAdapter({ http, clock, tokens: vertexTokens, inlineMedia }),
  } satisfies Record<AdapterName, unknown>;
  return {
    // Each adapter is only called with credentials of its own kind.
    adapters: new Map(Object.entries(byName) as [AdapterName, UpstreamAdapter][]),
    batches: vertexBatches({ http, clock, tokens: vertexTokens }),
    warmUp: () => http.warmUp(),
    async close() {
      await http.close();
      if (guardedHttp !== http) await guardedHttp.close();
    },
  };
}

/** Google's storage and jobs, with Vertex AI's line formats: `docs/batches.md`. */
function vertexBatches(dependencies: GoogleDependencies): BatchUpstream {
  return {
    storage: googleStorage(dependencies),
    jobs: vertexJobs(dependencies),
    formOf: linesOver(dependencies.tokens),
  };
}
