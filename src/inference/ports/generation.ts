/** The record of an admitted request, whatever its outcome, and the port to where records are stored. */

import type { NanoUsd } from '../../base/money.js';
import type { Lane } from '../../catalog/formats.js';
import type { Format } from '../../catalog/types.js';
import type { FinishReason } from '../../formats/chat/types.js';
import type { Charge, Settlement } from '../../ledger/settlement.js';
import type { ExclusionCounts } from '../../routing/types.js';
import type { FailureCode } from './failure.js';

/** One attempt, in the form of the API. `latency_ms` is from its start to its first content or its failure. */
export interface ProviderResponse {
  readonly provider: string;
  readonly provider_name: string;
  /** HTTP status; null when no answer came. */
  readonly status: number | null;
  /** Why it failed; null when it did not, or when the status tells. */
  readonly error: FailureCode | null;
  readonly is_byok: boolean;
  readonly byok_key_id: string | null;
  /** Id of the endpoint. */
  readonly endpoint: string;
  readonly latency_ms: number;
  /** Members of the request that were left out or spelled otherwise, since the provider refuses them; null = none. */
  readonly adapted: readonly string[] | null;
}

/** `provider_name` null = as the catalogue names the provider. */
export type RecordedResponse = Omit<ProviderResponse, 'provider_name'> & {
  readonly provider_name: string | null;
};

export const GENERATION_STATUSES = ['ok', 'refused', 'failed', 'cancelled'] as const;

/** `refused`: nothing was sent to a provider; `failed`: every attempt failed, or this process stopped; `cancelled`: the client left. */
export type GenerationStatus = (typeof GENERATION_STATUSES)[number];

/** The API that the client called. */
export type GenerationApi = Format;

/** Who counted what a request used: the provider all of it, or the gateway at least a part. */
export type CountedBy = 'provider' | 'estimate';

/** The record of one request: written once, never changed. Durations are in milliseconds. */
export interface Generation {
  readonly id: string;
  readonly accountId: string;
  readonly workspaceId: string;
  readonly apiKeyHash: string;
  readonly userId: string;
  readonly requestId: string;
  /** Id of the model that answered, or of the first one attempted when none did. */
  readonly model: string;
  /** Slug of the provider that answered. Null when none did, like the endpoint and the key. */
  readonly provider: string | null;
  /** Null also where it is as the catalogue names the provider. */
  readonly providerName: string | null;
  readonly endpoint: string | null;
  readonly byokKeyId: string | null;
  readonly isStreamed: boolean;
  readonly status: GenerationStatus;
  /** Why it was refused or failed, a word of `src/base/reasons.ts`; null when it did not, or when none is recorded. */
  readonly reason: string | null;
  /** What the client got; null when it is not recorded. */
  readonly httpStatus: number | null;
  /** What the client was told, without any text of the provider's. */
  readonly message: string | null;
  readonly requestedModel: string;
  readonly api: GenerationApi;
  /** Null where only one is possible. */
  readonly lane: Lane | null;
  /** Types of tools and members of the request that the translation left out. */
  readonly omitted: readonly string[];
  /** The client's name of the session. */
  readonly sessionId: string | null;
  readonly traceId: string | null;
  readonly ip: string | null;
  /** How many requests it stands for: refused ones of the same second may share a record. */
  readonly requests: number;
  readonly finishReason: FinishReason | null;
  readonly nativeFinishReason: string | null;
  /** From the request to the first content; null when none came. */
  readonly latencyMs: number | null;
  /** From the first content to the end; null when none came. */
  readonly generationTimeMs: number | null;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  readonly cachedTokens: number;
  /** Null where nothing was billed, or where it is not recorded. */
  readonly countedBy: CountedBy | null;
  /** How many candidates the plan left out, by reason; without keys that do not admit the caller. */
  readonly excludedCounts: ExclusionCounts;
  /** Charged to credits, the fee included. */
  readonly usageNanoUsd: NanoUsd;
  /** List-price cost over a BYOK key; null on shared capacity. */
  readonly upstreamInferenceCostNanoUsd: NanoUsd | null;
  readonly byokFeeNanoUsd: NanoUsd;
  /** In the order of the attempts. */
  readonly providerResponses: readonly RecordedResponse[];
  /** Start of the request, Unix milliseconds. */
  readonly createdAt: number;
}

/** The generations of an account, or of one of its API keys; `apiKeyHash` null = of all keys. */
export interface GenerationScope {
  readonly accountId: string;
  readonly apiKeyHash: string | null;
}

/** null = no restriction; of a list any. Instants are Unix milliseconds; `from` is inclusive, `to` exclusive. */
export interface GenerationFilter {
  readonly from: number | null;
  readonly to: number | null;
  readonly apiKeyHashes: readonly string[] | null;
  readonly workspaceIds: readonly string[] | null;
  readonly userIds: readonly string[] | null;
  readonly models: readonly string[] | null;
  /** Slugs. */
  readonly providers: readonly string[] | null;
  readonly apis: readonly string[] | null;
  readonly statuses: readonly GenerationStatus[] | null;
  readonly reasons: readonly string[] | null;
  readonly sessionIds: readonly string[] | null;
  readonly isByok: boolean | null;
}

/** A place in the list of generations. */
export type GenerationPosition = Pick<Generation, 'createdAt' | 'id'>;

export interface PageOfGenerations {
  readonly offset: number;
  readonly limit: number;
  /** Only generations behind this place; null = from the newest. */
  readonly after: GenerationPosition | null;
}

/** What the settlement determines of a record. */
export type GenerationCharges = Pick<
  Generation,
  'usageNanoUsd' | 'upstreamInferenceCostNanoUsd' | 'byokFeeNanoUsd'
>;

export type UnsettledGeneration = Omit<Generation, keyof GenerationCharges>;

export interface GenerationStore {
  /**
   * Ends the reservation of a request, charges it (null = it costs nothing) and records it, atomically. Resolves when all
   * of it is on disk. Rejects a generation that is recorded already, so that nothing is charged twice.
   */
  settle(generation: UnsettledGeneration, charge: Charge | null): Promise<Settlement>;
  /** undefined for a generation that does not exist or is out of scope. */
  find(id: string, scope: GenerationScope): Promise<Generation | undefined>;
  /** Newest first, then by id. */
  list(accountId: string, filter: GenerationFilter, page: PageOfGenerations): Promise<GenerationPage>;
  /**
   * All that match, oldest first, then by id, up to the newest that there is at the beginning: in pages of at most
   * `EXPORT_PAGE`, each read when it is asked for. What is settled meanwhile may be among them; nothing comes twice. A page
   * is empty where a filter without an index has matched none of what was read for it.
   */
  export(accountId: string, filter: GenerationFilter): AsyncIterable<readonly Generation[]>;
}

/** Enough that a page's round trip does not matter, and few enough that what is made of them holds nobody up. */
export const EXPORT_PAGE = 100;

export interface GenerationPage {
  readonly generations: readonly Generation[];
  /** Where the next page begins, which may be empty where a filter matches few; null = this is the last one. */
  readonly next: GenerationPosition | null;
  /** How many match the filter, wherever the page begins; where it is not exact, more may. */
  readonly totalCount: number;
  readonly isTotalExact: boolean;
}
