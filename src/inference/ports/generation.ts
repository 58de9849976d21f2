/** The record of an admitted request, whatever its outcome, and the port to the store of records. */

import type { NanoUsd } from '../../base/money.js';
import type { Lane } from '../../catalog/formats.js';
import type { Format } from '../../catalog/types.js';
import type { FinishReason } from '../../formats/chat/types.js';
import type { Payer } from '../../ledger/payer.js';
import type { Charge, Settlement } from '../../ledger/settlement.js';
import type { ExclusionCounts } from '../../routing/types.js';
import type { FailureCode } from './failure.js';

/** One attempt, as the API shows it. `latency_ms` is the time from its start to its first content or its failure. */
export interface ProviderResponse {
  readonly provider: string;
  readonly provider_name: string;
  /** HTTP status; null if no answer came. */
  readonly status: number | null;
  /** Why it failed; null if it did not, or if the status says it. */
  readonly error: FailureCode | null;
  readonly is_byok: boolean;
  readonly byok_key_id: string | null;
  /** Id of the endpoint. */
  readonly endpoint: string;
  readonly latency_ms: number;
  /**
   * Members of the request that were left out or spelled differently because the provider refuses them; null = none.
   */
  readonly adapted: readonly string[] | null;
}

/** `provider_name` is null if it is the provider's name in the catalogue. */
export type RecordedResponse = Omit<ProviderResponse, 'provider_name'> & {
  readonly provider_name: string | null;
};

export const GENERATION_STATUSES = ['ok', 'refused', 'failed', 'cancelled'] as const;

/** `refused`: nothing was sent to a provider; `failed`: every attempt failed, or this process stopped; `cancelled`: the client left. */
export type GenerationStatus = (typeof GENERATION_STATUSES)[number];

/** The API that the client called. */
export type GenerationApi = Exclude<Format, 'completions'> | 'text_completions';

/** What records call the API of a format. SDKs of others call chats `completions`. */
export const RECORDED_APIS: Readonly<Record<Format, GenerationApi>> = {
  chat: 'chat',
  messages: 'messages',
  responses: 'responses',
  embeddings: 'embeddings',
  rerank: 'rerank',
  completions: 'text_completions',
};

/** Who counted what a request used: the provider everything, or the gateway at least a part. */
export type CountedBy = 'provider' | 'estimate';

/** In which mode a request was served. */
export interface RecordedMode {
  /** Of the host, as its answer says, else as it was asked; null = neither. */
  readonly serviceTier: string | null;
  readonly speed: string | null;
  readonly inferenceGeo: string | null;
  /** What was billed otherwise than the base: `service_tier:priority+inference_geo:us`; null = nothing. */
  readonly priceMode: string | null;
  /** Modes that were billed at the base, since they have no price: `speed:fast`. */
  readonly unpriced: readonly string[];
}

export const NO_MODE: RecordedMode = {
  serviceTier: null,
  speed: null,
  inferenceGeo: null,
  priceMode: null,
  unpriced: [],
};

/** Within which run, for whom and by which agent a request was made; null = it did not say. */
export interface RecordedAttribution {
  readonly runId: string | null;
  /** The client's name of the run. */
  readonly run: string | null;
  readonly endUser: string | null;
  /** In the client's own words. */
  readonly agentId: string | null;
  /** The agent that has started that one. */
  readonly parentAgentId: string | null;
}

export const NO_ATTRIBUTION: RecordedAttribution = {
  runId: null,
  run: null,
  endUser: null,
  agentId: null,
  parentAgentId: null,
};

/** The record of one request: written once, never changed. Durations are in milliseconds. */
export interface Generation extends RecordedMode, RecordedAttribution {
  readonly id: string;
  readonly accountId: string;
  readonly workspaceId: string;
  readonly apiKeyHash: string;
  readonly userId: string;
  readonly requestId: string;
  /** Id of the model that answered; if none did, of the first model that was attempted. */
  readonly model: string;
  /** Slug of the provider that answered. null if none did, as endpoint and key then are. */
  readonly provider: string | null;
  /** Also null if it is the provider's name in the catalogue. */
  readonly providerName: string | null;
  readonly endpoint: string | null;
  readonly byokKeyId: string | null;
  readonly isStreamed: boolean;
  readonly status: GenerationStatus;
  /**
   * Why it was refused or failed, a reason of `src/base/reasons.ts`. null if it was not, or if no reason was recorded.
   */
  readonly reason: string | null;
  /** The status that the client got; null if it was not recorded. */
  readonly httpStatus: number | null;
  /** The message that the client got, without any of the provider's text. */
  readonly message: string | null;
  readonly requestedModel: string;
  readonly api: GenerationApi;
  /** null if the request's format has only one lane. */
  readonly lane: Lane | null;
  /** Types of tools, and members of the request, that the translation left out. */
  readonly omitted: readonly string[];
  /** The client's name for the session. */
  readonly sessionId: string | null;
  readonly traceId: string | null;
  readonly ip: string | null;
  /** How many requests the record stands for: refused requests of the same second may share one. */
  readonly requests: number;
  readonly finishReason: FinishReason | null;
  readonly nativeFinishReason: string | null;
  /** Time from the request to the first content; null if there was none. */
  readonly latencyMs: number | null;
  /** Time from the first content to the end; null if there was none. */
  readonly generationTimeMs: number | null;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  readonly cachedTokens: number;
  /** null if nothing was billed, or if it was not recorded. */
  readonly countedBy: CountedBy | null;
  /** How many candidates the plan excluded, by reason. Keys that do not admit the caller are not counted. */
  readonly excludedCounts: ExclusionCounts;
  /** Charged to credits, including the fee. */
  readonly usageNanoUsd: NanoUsd;
  /** Cost at list price, with a BYOK key; null on shared capacity. */
  readonly upstreamInferenceCostNanoUsd: NanoUsd | null;
  readonly byokFeeNanoUsd: NanoUsd;
  /** In the order of the attempts. */
  readonly providerResponses: readonly RecordedResponse[];
  /** Start of the request, Unix milliseconds. */
  readonly createdAt: number;
  /** Whether it was answered from the cache: by no provider, and for nothing. */
  readonly isCached: boolean;
}

/** The generations of an account, or of one of its API keys; `apiKeyHash` null = of all keys. */
export interface GenerationScope {
  readonly accountId: string;
  readonly apiKeyHash: string | null;
}

/**
 * null = no restriction; a list matches any of its values. Instants are Unix milliseconds; `from` is inclusive, `to`
 * exclusive.
 */
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
  readonly runIds: readonly string[] | null;
  /** Names. */
  readonly runs: readonly string[] | null;
  readonly endUsers: readonly string[] | null;
  readonly agentIds: readonly string[] | null;
  readonly parentAgentIds: readonly string[] | null;
  readonly isByok: boolean | null;
}

/** A position in the list of generations. */
export type GenerationPosition = Pick<Generation, 'createdAt' | 'id'>;

export interface PageOfGenerations {
  readonly offset: number;
  readonly limit: number;
  /** Only generations after this position; null = from the newest. */
  readonly after: GenerationPosition | null;
}

/** The members of a record that the settlement determines. */
export type GenerationCharges = Pick<
  Generation,
  'usageNanoUsd' | 'upstreamInferenceCostNanoUsd' | 'byokFeeNanoUsd'
>;

/** A record that is not charged yet, and for whom it is charged. */
export type UnsettledGeneration = Omit<Generation, keyof GenerationCharges> & Payer;

export interface GenerationStore {
  /**
   * Ends the reservation of a request, charges it (null = it costs nothing) and records it, atomically. Resolves once
   * all of it is on disk. Rejects a generation that has been recorded, so that nothing is charged twice.
   */
  settle(generation: UnsettledGeneration, charge: Charge | null): Promise<Settlement>;
  /** undefined if the generation does not exist or is out of scope. */
  find(id: string, scope: GenerationScope): Promise<Generation | undefined>;
  /** Newest first, then by id. */
  list(accountId: string, filter: GenerationFilter, page: PageOfGenerations): Promise<GenerationPage>;
  /**
   * All generations that match, oldest first, then by id, up to the newest at the beginning of the export. Pages have
   * at most `EXPORT_PAGE` generations, and each is read when it is asked for. Generations that are settled meanwhile
   * may be included; none comes twice. A page may be empty if a filter without an index has matched nothing of what was
   * read for it.
   */
  export(accountId: string, filter: GenerationFilter): AsyncIterable<readonly Generation[]>;
}

/**
 * Large enough that the round trip of a page does not matter, small enough that rendering a page does not block others.
 */
export const EXPORT_PAGE = 100;

export interface GenerationPage {
  readonly generations: readonly Generation[];
  /** Where the next page begins; null if this is the last one. The next page may be empty if a filter matches few. */
  readonly next: GenerationPosition | null;
  /** How many generations match the filter, on all pages. If it is not exact, there may be more. */
  readonly totalCount: number;
  readonly isTotalExact: boolean;
}
