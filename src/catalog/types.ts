/**
 * The catalogue: which models exist, where they run, at what price and under which data policy: `docs/catalog.md`.
 * Values are immutable; a change of the catalogue makes a new `Catalog`.
 */

import type { Quirks } from './quirks.js';

/** Providers' protocols; each has a folder in `providers/` and a file in `byok/kinds/`. */
export const ADAPTERS = ['openai', 'anthropic', 'azure', 'amazon-bedrock', 'google-vertex', 'demo'] as const;
export type AdapterName = (typeof ADAPTERS)[number];

/** What happens to prompts: `zdr` = zero data retention; `dataCollection` = they may be stored or trained on. */
export interface DataPolicy {
  readonly zdr: boolean;
  readonly dataCollection: boolean;
}

/** The policy where none is given. */
export const DEFAULT_DATA_POLICY: DataPolicy = { zdr: false, dataCollection: true };

export interface Provider {
  readonly slug: string;
  readonly name: string;
  readonly adapter: AdapterName;
  readonly baseUrl: string | null;
  readonly storageBaseUrl: string | null;
  /** The regions of endpoints that name none; empty = global. */
  readonly regions: readonly string[];
  /** Missing members are those of `DEFAULT_DATA_POLICY`. */
  readonly dataPolicy: Partial<DataPolicy>;
  /** What the operator says of its endpoints. */
  readonly quirks: Quirks;
  /** Sent with every call to the origin of `baseUrl`, by name; the values are sealed, so that each reads `SECRET`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** `none`: its host takes no credential, so that shared capacity needs none. */
  readonly credential?: 'none';
  /** Of its endpoints that have none of their own. */
  readonly priceModes?: readonly PriceMode[];
  readonly headquarters: string | null;
  readonly datacenters: readonly string[];
  readonly privacyPolicyUrl: string | null;
  readonly termsOfServiceUrl: string | null;
  readonly statusPageUrl: string | null;
}

/** All prices are USD per token but `request`, `image`, `image_output` and those of searches. */
export const PRICE_KEYS = [
  'prompt',
  'completion',
  'request',
  'image',
  'image_output',
  'image_token',
  'image_output_token',
  'audio',
  'audio_output',
  'input_audio_cache',
  'input_cache_read',
  'input_cache_write',
  'input_cache_write_1h',
  'internal_reasoning',
  'web_search',
  'web_search_medium',
  'web_search_high',
] as const;
export type PriceKey = (typeof PRICE_KEYS)[number];

/** Prices that an override may change. */
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

/** Prices per token, which a mode may change. */
export const TOKEN_PRICE_KEYS = [
  ...OVERRIDE_PRICE_KEYS,
  'audio_output',
  'image_token',
  'image_output_token',
  'internal_reasoning',
] as const satisfies readonly PriceKey[];
export type TokenPriceKey = (typeof TOKEN_PRICE_KEYS)[number];

/** What of a request hosts bill at other prices, by the members that ask for it. */
export const MODE_KINDS = ['service_tier', 'speed', 'inference_geo'] as const;
export type ModeKind = (typeof MODE_KINDS)[number];

/** Other prices for requests in a mode: `docs/catalog.md#price-modes`. */
export interface PriceMode {
  /** The host's words in lower case, none of them of the base. Without `isBatch` there is at least one. */
  readonly words: Readonly<Partial<Record<ModeKind, string>>>;
  /** Whether it is for batches alone. */
  readonly isBatch: boolean;
  /** Applies to prompts of more tokens than this. */
  readonly minPromptTokens: number | null;
  /** Multiplies every price per token; a decimal text of more than 0. null = 1. */
  readonly multiplier: string | null;
  readonly prices: Readonly<Partial<Record<TokenPriceKey, string>>>;
}

/** Monday first, as spelled in `utc_days`. */
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

/** Other prices under conditions, all of which must be met. */
export interface PricingOverride {
  readonly prices: Readonly<Partial<Record<OverridePriceKey, string>>>;
  /** Applies to prompts of more tokens than this. */
  readonly minPromptTokens: number | null;
  /** HHMM clock numbers of a daily UTC window [start, end), which may wrap past midnight. */
  readonly utcStart: number | null;
  readonly utcEnd: number | null;
  /** null = every day. */
  readonly utcDays: readonly Weekday[] | null;
}

/** Prices are decimal strings in USD (no exponent, no trailing zeros). */
export interface Pricing {
  readonly prices: Readonly<Partial<Record<PriceKey, string>> & Record<'prompt' | 'completion', string>>;
  /** Prices are multiplied by 1 - discount; 0 = none, 1 = free. null = not given, counts as 0. */
  readonly discount: number | null;
  readonly overrides: readonly PricingOverride[];
  /** Of an endpoint: what modes change after the overrides, in this order; never empty. */
  readonly modes?: readonly PriceMode[];
}

/** APIs whose requests are read as chats too, and sent as they came where the endpoint speaks them. */
export const NATIVE_FORMATS = ['messages', 'responses', 'completions', 'embeddings', 'rerank'] as const;
export type NativeFormat = (typeof NATIVE_FORMATS)[number];

/** The APIs in which requests come in, and that endpoints speak: `docs/catalog.md#formats`. */
export const FORMATS = ['chat', ...NATIVE_FORMATS] as const;
export type Format = (typeof FORMATS)[number];

/** `degraded` is tried last, `disabled` never. */
export type EndpointStatus = 'active' | 'degraded' | 'disabled';

/** A model at a provider, possibly in one region. */
export interface Endpoint {
  /** Stable and unique in the catalogue: `provider/model-id`, with `@region` if it has one, and `#n` for duplicates. */
  readonly id: string;
  readonly provider: string;
  readonly modelId: string;
  readonly upstreamModelId: string;
  readonly region: string | null;
  readonly pricing: Pricing;
  /** Its prices are unknown, which is not free: shared capacity is not used, own keys are, at 0. */
  readonly isUnpriced?: true;
  readonly contextLength: number | null;
  readonly maxCompletionTokens: number | null;
  readonly isModerated: boolean;
  readonly quantization: string | null;
  readonly supportedParameters: readonly string[];
  /** The endpoint's own policy, merged over its provider's and `DEFAULT_DATA_POLICY`. */
  readonly dataPolicy: DataPolicy;
  readonly status: EndpointStatus;
  /** The formats of APIs that it speaks. */
  readonly formats: readonly Format[];
  /** What the operator says of it, merged over its provider's. */
  readonly quirks: Quirks;
}

export interface Architecture {
  readonly modality: string | null;
  readonly inputModalities: readonly string[];
  readonly outputModalities: readonly string[];
  /** undefined = not given; null is a valid value. */
  readonly instructType: string | null | undefined;
  readonly tokenizer: string | undefined;
}

/** Sampling parameters for requests that set none; null = the provider's own. */
export interface DefaultParameters {
  readonly temperature: number | null;
  readonly topP: number | null;
  readonly topK: number | null;
  readonly frequencyPenalty: number | null;
  readonly presencePenalty: number | null;
  readonly repetitionPenalty: number | null;
}

/** Maximum tokens of one request. */
export interface PerRequestLimits {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** A model's rating in one arena and category. */
export interface ArenaEntry {
  readonly arena: string;
  readonly category: string;
  readonly elo: number;
  readonly winRate: number;
  /** 1 = highest elo among the catalogue's models in that arena and category; computed, never imported. */
  readonly rank: number;
}

/** Index scores of a model; null = not scored. */
export interface AnalysisIndex {
  readonly intelligenceIndex: number | null;
  readonly codingIndex: number | null;
  readonly agenticIndex: number | null;
}

/** Third-party measurements of a model. */
export interface Benchmarks {
  readonly arenaRankings: readonly ArenaEntry[];
  readonly analysisIndex: AnalysisIndex | null;
}

export interface ReasoningSupport {
  readonly mandatory: boolean;
  /** undefined = not given; null and 'none' are valid values. */
  readonly defaultEffort: string | null | undefined;
  readonly defaultEnabled: boolean | undefined;
  /** null = no allowlist. */
  readonly supportedEfforts: readonly string[] | null | undefined;
  readonly supportsMaxTokens: boolean;
}

/** A model with its endpoints, cheapest first, or an alias such as `~openai/gpt-latest`. */
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
  /** null: lists show the cheapest endpoint's. */
  readonly pricing: Pricing | null;
  readonly supportedParameters: readonly string[];
  readonly supportedVoices: readonly string[] | null;
  readonly defaultParameters: DefaultParameters | null;
  readonly perRequestLimits: PerRequestLimits | null;
  readonly benchmarks: Benchmarks | null;
  readonly reasoning: ReasoningSupport | null;
  /** The id of an alias's concrete target; null for other models. An alias has no endpoints of its own. */
  readonly aliasTarget: string | null;
  readonly endpoints: readonly Endpoint[];
}
