/** What is kept of every request that reached the attempts, served or not (spec 4.5.10, interface section 6). */
import type { NanoUsd } from '../../base/money.js';
import type { FinishReason } from '../../formats/chat/types.js';
import type { Charge, Settlement } from '../../ledger/settlement.js';
import type { FailureWord } from '../attempts/failure.js';

/** One attempt, as it goes over the wire. `latency_ms` runs from its start to its first content or its failure. */
export interface ProviderResponse {
  readonly provider: string;
  readonly provider_name: string;
  /** HTTP status; null when no answer came. */
  readonly status: number | null;
  /** Why it failed; null when it did not, or the status says it. */
  readonly error: FailureWord | null;
  readonly is_byok: boolean;
  readonly byok_key_id: string | null;
  /** Identifier of the endpoint. */
  readonly endpoint: string;
  readonly latency_ms: number;
}

/** The record of one request; it is written once and never changed. Times are milliseconds. */
export interface Generation {
  readonly id: string;
  readonly accountId: string;
  readonly workspaceId: string;
  readonly apiKeyHash: string;
  readonly userId: string;
  readonly requestId: string;
  /** Id of the model that served; of the first one tried when none did. */
  readonly model: string;
  /** Slug of the provider that served; null when none did, as its name, the endpoint and the key. */
  readonly provider: string | null;
  readonly providerName: string | null;
  readonly endpoint: string | null;
  readonly byokKeyId: string | null;
  readonly isStreamed: boolean;
  /** Whether the client went away. */
  readonly isCancelled: boolean;
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
  /** Charged to credits, the fee among it. */
  readonly usageNanoUsd: NanoUsd;
  /** List-price cost over a BYOK key; null on shared capacity. */
  readonly upstreamInferenceCostNanoUsd: NanoUsd | null;
  readonly byokFeeNanoUsd: NanoUsd;
  /** In the order tried. */
  readonly providerResponses: readonly ProviderResponse[];
  /** Start of the request, Unix milliseconds. */
  readonly createdAt: number;
}

/** Whose generations: an account's, or one API key's within it. */
export interface GenerationScope {
  readonly accountId: string;
  readonly apiKeyHash: string | null;
}

/** Which generations of an account; null = no restriction. Instants are Unix milliseconds, `from` inclusive, `to` not. */
export interface GenerationFilter {
  readonly from: number | null;
  readonly to: number | null;
  readonly apiKeyHash: string | null;
  readonly workspaceId: string | null;
}

/** A page of a list. */
export interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** A record without what only the settlement tells. */
export type UnsettledGeneration = Omit<
  Generation,
  'usageNanoUsd' | 'upstreamInferenceCostNanoUsd' | 'byokFeeNanoUsd'
>;

/** Where generations are kept. */
export interface GenerationStore {
  /**
   * Settles a request in one step: ends its reservation, charges it (null = it costs nothing), and records it. Resolves
   * when all of it is on disk. Rejects a generation that is recorded already; nothing is charged twice.
   */
  settle(generation: UnsettledGeneration, charge: Charge | null): Promise<Settlement>;
  /** undefined for one that does not exist and for one out of scope. */
  find(id: string, scope: GenerationScope): Promise<Generation | undefined>;
  /** Newest first, then by id; `totalCount` counts all that match. */
  list(
    accountId: string,
    filter: GenerationFilter,
    page: Page,
  ): Promise<{ readonly generations: readonly Generation[]; readonly totalCount: number }>;
}
