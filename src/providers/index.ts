import type { Clock } from '../base/clock.js';
import { NO_PROXIES, type Proxies } from '../base/proxies.js';
import type { BatchUpstream } from '../batch/ports.js';
import type { AdapterName } from '../catalog/types.js';
import type { UpstreamAdapter } from '../inference/ports/adapter.js';
import type { HostRefusals } from '../inference/ports/refusals.js';
import { bedrock } from './amazon-bedrock/index.js';
import { BEDROCK_REFUSALS } from './amazon-bedrock/refusals.js';
import { anthropic } from './anthropic/index.js';
import { ANTHROPIC_REFUSALS } from './anthropic/refusals.js';
import { azure } from './azure/index.js';
import { AZURE_REFUSALS } from './azure/refusals.js';
import { demoAdapter } from './demo/index.js';
import { DEMO_REFUSALS } from './demo/refusals.js';
import { vertexJobs } from './google-vertex/batches/batch-jobs.js';
import { linesOver } from './google-vertex/batches/batch-lines.js';
import type { GoogleDependencies } from './google-vertex/batches/google-client.js';
import { googleStorage } from './google-vertex/batches/storage.js';
import { AccessTokens } from './google-vertex/host/token.js';
import { vertex } from './google-vertex/index.js';
import { VERTEX_REFUSALS } from './google-vertex/refusals.js';
import { createAdapter } from './http/exchange.js';
import { guardedConnector } from './http/guard.js';
import { createHttp, createTrustedHttp } from './http/http.js';
import { createInlineMedia } from './http/inline-media.js';
import { openAi } from './openai/index.js';
import { OPENAI_REFUSALS } from './openai/refusals.js';

/** Adapters by their name in the catalogue. */
export type Adapters = ReadonlyMap<AdapterName, UpstreamAdapter>;

/** The words with which each adapter's hosts refuse something. */
export const HOST_REFUSALS: Readonly<Record<AdapterName, HostRefusals>> = {
  openai: OPENAI_REFUSALS,
  anthropic: ANTHROPIC_REFUSALS,
  azure: AZURE_REFUSALS,
  'amazon-bedrock': BEDROCK_REFUSALS,
  'google-vertex': VERTEX_REFUSALS,
  demo: DEMO_REFUSALS,
};

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
  /** Allows URLs in credentials to lead to private addresses (`BYWAY_ALLOW_PRIVATE_UPSTREAMS`). */
  readonly allowPrivateUpstreams: boolean;
  /**
   * Requests that an account may have in flight at one host (`BYWAY_MAX_IN_FLIGHT_PER_ACCOUNT`); null =
   * `hasPlaceAtHost` decides.
   */
  readonly maxInFlightPerAccount?: number | null;
  /** The proxies between the gateway and everything that it calls; default none. */
  readonly proxies?: Proxies;
}

/** All adapters, with their own connections. Hosts in the operator's catalogue are trusted. */
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
    openai: createAdapter(openAi({ http, inlineMedia }), clock),
    anthropic: createAdapter(anthropic({ http }), clock),
    azure: createAdapter(azure({ http, guardedHttp }), clock),
    'amazon-bedrock': createAdapter(bedrock({ http, inlineMedia, clock }), clock),
    'google-vertex': createAdapter(vertex({ http, tokens: vertexTokens, inlineMedia }), clock),
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
