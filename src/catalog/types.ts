/**
 * The catalogue: which models exist, where they run, at what price and under which data policy (spec 2.1,
 * interface section 7). Values are immutable; a change of the catalogue is a new `Catalog`.
 */

/** The protocols that Byway can speak to a provider; each is one file in `upstream/` and one in `byok/`. */
export const ADAPTERS = ['openai', 'anthropic', 'azure', 'amazon-bedrock', 'google-vertex', 'demo'] as const;
export type AdapterName = (typeof ADAPTERS)[number];

/** What happens to prompts: `zdr` = zero data retention; `dataCollection` = they may be kept or trained on. */
export interface DataPolicy {
  readonly zdr: boolean;
  readonly dataCollection: boolean;
}

/** What counts for a provider of which nothing is said: nothing is promised. */
export const DEFAULT_DATA_POLICY: DataPolicy = { zdr: false, dataCollection: true };

/** Who runs models: how it is called, where, and what it promises (interface section 7). */
export interface Provider {
  readonly slug: string;
  readonly name: string;
  readonly adapter: AdapterName;
  readonly baseUrl: string | null;
  readonly storageBaseUrl: string | null;
  /** Where its endpoints run that name no region; empty = global. */
  readonly regions: readonly string[];
  /** As stated in the catalogue, each member on its own; see `UNSTATED_DATA_POLICY` for what is missing. */
  readonly dataPolicy: Partial<DataPolicy>;
  readonly headquarters: string | null;
  readonly datacenters: readonly string[];
  readonly privacyPolicyUrl: string | null;
  readonly termsOfServiceUrl: string | null;
  readonly statusPageUrl: string | null;
}

/** Keys under which a price can stand; all are USD per token but `request`, `image`, `image_output` and `web_search`. */
export const PRICE_KEYS = [
  'prompt',
  'completion',
  'request',
  'image',
  'image_output',
  'image_token',
  'audio',
  'audio_output',
  'input_audio_cache',
  'input_cache_read',
  'input_cache_write',
  'input_cache_write_1h',
  'internal_reasoning',
  'web_search',
] as const;
export type PriceKey = (typeof PRICE_KEYS)[number];

/** Keys that an override may change (spec 2.1, PricingOverride). */
export const OVERRIDE_PRICE_KEYS = [
  'prompt',
  'completion',
  'audio',
  'input_audio_cache',
  'input_cache_read',
  'input_cache_write',
  'input_cache_write_1h',
] as const satisfies readonly PriceKey[];
export type OverridePriceKey = (typeof OVERRIDE_PRICE_KEYS)[number];

/** Days in the spelling of `utc_days`, Monday first (spec 2.1, PricingOverride). */
export const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** Other prices under conditions; all conditions present must hold (spec 2.1, override rules). */
export interface PricingOverride {
  readonly prices: Readonly<Partial<Record<OverridePriceKey, string>>>;
  /** Applies when the prompt has strictly more tokens. */
  readonly minPromptTokens: number | null;
  /** HHMM clock numbers of a daily UTC window [start, end), which may wrap past midnight. */
  readonly utcStart: number | null;
  readonly utcEnd: number | null;
  /** null = every day. */
  readonly utcDays: readonly Weekday[] | null;
}

/** Prices are plain decimal strings in USD (no exponent, no trailing zeros); `prompt` and `completion` always stand. */
export interface Pricing {
  readonly prices: Readonly<Partial<Record<PriceKey, string>> & Record<'prompt' | 'completion', string>>;
  /** The price is multiplied by 1 - discount; 0 = none, 1 = free. null = not stated, counts as 0. */
  readonly discount: number | null;
  readonly overrides: readonly PricingOverride[];
}

/** How an endpoint does: `degraded` is tried last, `disabled` never (interface section 7). */
export type EndpointStatus = 'active' | 'degraded' | 'disabled';

/** One model at one provider (in one region). */
export interface Endpoint {
  /** Stable and unique in the catalogue: `provider/model-id` plus `@region` where one is named, `#n` where it must be told apart. */
  readonly id: string;
  readonly provider: string;
  readonly modelId: string;
  readonly upstreamModelId: string;
  readonly region: string | null;
  readonly pricing: Pricing;
  readonly contextLength: number | null;
  readonly maxCompletionTokens: number | null;
  readonly isModerated: boolean;
  readonly quantization: string | null;
  readonly supportedParameters: readonly string[];
  /** The endpoint's own statement laid over its provider's, member by member, over `UNSTATED_DATA_POLICY`. */
  readonly dataPolicy: DataPolicy;
  readonly status: EndpointStatus;
}

/** What a model takes in and gives out (spec 2.1, ModelArchitecture). */
export interface Architecture {
  readonly modality: string | null;
  readonly inputModalities: readonly string[];
  readonly outputModalities: readonly string[];
  /** undefined = not stated; null is a value of its own (spec 2.1, InstructType). */
  readonly instructType: string | null | undefined;
  readonly tokenizer: string | undefined;
}

/** Sampling parameters that hold where a request states none (spec 2.1); null = the provider's own. */
export interface DefaultParameters {
  readonly temperature: number | null;
  readonly topP: number | null;
  readonly topK: number | null;
  readonly frequencyPenalty: number | null;
  readonly presencePenalty: number | null;
  readonly repetitionPenalty: number | null;
}

/** How many tokens one request may have at most (spec 2.1). */
export interface PerRequestLimits {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** How a model does in one arena and category (spec 2.1). */
export interface ArenaEntry {
  readonly arena: string;
  readonly category: string;
  readonly elo: number;
  readonly winRate: number;
  /** 1 = highest rating among the catalogue's models in that arena and category; computed, never imported. */
  readonly rank: number;
}

/** Index scores of a model (spec 2.1); null = not scored. */
export interface AnalysisIndex {
  readonly intelligenceIndex: number | null;
  readonly codingIndex: number | null;
  readonly agenticIndex: number | null;
}

/** What others measured of a model (spec 2.1). */
export interface Benchmarks {
  readonly arenaRankings: readonly ArenaEntry[];
  readonly analysisIndex: AnalysisIndex | null;
}

/** Whether and how a model reasons (spec 2.1). */
export interface Reasoning {
  readonly mandatory: boolean;
  /** undefined = not stated; null and 'none' are values (spec 2.1, ReasoningEffort). */
  readonly defaultEffort: string | null | undefined;
  readonly defaultEnabled: boolean | undefined;
  /** null = no allowlist. */
  readonly supportedEfforts: readonly string[] | null | undefined;
  readonly supportsMaxTokens: boolean;
}

/** A model, or a tilde-latest alias of one, with its endpoints, cheapest first (spec 2.1). */
export interface Model {
  readonly id: string;
  readonly canonicalSlug: string;
  readonly name: string;
  /** Unix seconds. */
  readonly created: number;
  readonly description: string | null;
  readonly contextLength: number | null;
  readonly expirationDate: string | null;
  readonly knowledgeCutoff: string | null;
  readonly hubModelId: string | null;
  readonly architecture: Architecture;
  /** The model's own pricing where the catalogue gives one; else its best endpoint's is shown. */
  readonly pricing: Pricing | null;
  readonly supportedParameters: readonly string[];
  readonly supportedVoices: readonly string[] | null;
  readonly defaultParameters: DefaultParameters | null;
  readonly perRequestLimits: PerRequestLimits | null;
  readonly benchmarks: Benchmarks | null;
  readonly reasoning: Reasoning | null;
  /** Set on a tilde-latest alias: the id of its concrete target. Such a model has no endpoints of its own. */
  readonly aliasTarget: string | null;
  readonly endpoints: readonly Endpoint[];
}
