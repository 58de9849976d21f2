/**
 * The types of routing: a request in, attempts and exclusions out. Everything that the plan depends on is an argument;
 * it reads no clock, no database and no configuration (docs/adr/0012-pure-routing-plan.md).
 */
import type { Decimal, NanoUsd } from '../base/money.js';
import type { Violation } from '../base/problem.js';
import type { ByokKey, Section } from '../byok/types.js';
import type { ContractsOfAdapters } from '../catalog/contracts.js';
import type { Endpoint, Format, Model, NativeFormat, Provider, ReasoningSupport } from '../catalog/types.js';
import { VISIBILITY_REASONS, type Visibility } from '../catalog/visibility.js';
import type { ContextOverflow } from '../formats/context-overflow.js';
import type { HostWork } from '../formats/host-work.js';
import type { RequestModes } from '../formats/modes/request-modes.js';
import type { Reach } from '../formats/shared-capacity/reach.js';
import type { RequestUses } from '../formats/shared-capacity/uses.js';

/**
 * Why a candidate is not an attempt, in the order of evaluation. `fallbacks_not_allowed` and `attempt_cap` depend on
 * the other attempts. See docs/routing.md#exclusion-reasons.
 */
export const EXCLUSION_REASONS = [
  ...VISIBILITY_REASONS,
  'request_only',
  'request_ignore',
  'not_in_order',
  'max_price',
  'quantization',
  'unsupported_parameter',
  'context_length',
  'key_disabled',
  'key_model_filter',
  'key_api_key_filter',
  'key_member_filter',
  'key_not_zdr',
  'key_no_endpoint',
  'key_unusable',
  'always_use',
  'byok_only',
  'no_shared_capacity',
  'no_shared_credential',
  'unpriced_mode',
  'insufficient_credits',
  'fallbacks_not_allowed',
  'attempt_cap',
] as const;
export type ExclusionReason = (typeof EXCLUSION_REASONS)[number];

/** How endpoints of the same section are sorted after the requested order. */
export type Sort = 'price' | 'throughput' | 'latency';

/** `prompt` and `completion` in USD per million tokens, `request` and `image` in USD each; null = no maximum. */
export interface MaxPrice {
  readonly prompt: Decimal | null;
  readonly completion: Decimal | null;
  readonly request: Decimal | null;
  readonly image: Decimal | null;
}

/** The `provider` member of a request. Lists hold provider slugs as sent; null = not given. */
export interface ProviderPreferences {
  /** An empty list counts as not given. */
  readonly order: readonly string[] | null;
  readonly only: readonly string[] | null;
  readonly ignore: readonly string[] | null;
  readonly allowFallbacks: boolean;
  readonly requireParameters: boolean;
  /** `deny` excludes endpoints that collect data. */
  readonly dataCollection: 'allow' | 'deny' | null;
  readonly zdr: boolean;
  readonly quantizations: readonly string[] | null;
  /** null = by price. The account's default is applied before planning. */
  readonly sort: Sort | null;
  readonly maxPrice: MaxPrice | null;
  /** The most that the request may cost at list price; null = no maximum. */
  readonly maxCostNanoUsd: NanoUsd | null;
}

export interface RoutedCaller {
  readonly apiKeyHash: string;
  readonly userId: string;
  readonly workspaceId: string;
}

/** Measured by this process in the last minutes; null = not measured. */
export interface EndpointStatistics {
  readonly tokensPerSecond: number | null;
  readonly latencyMs: number | null;
}

/**
 * Whether a candidate is tried in its order (`ok`), last (`cooling`), or last and never as the only one (`resting`: the
 * provider asked to wait), until an instant in Unix milliseconds.
 */
export type EndpointHealth =
  | { readonly state: 'ok' }
  | { readonly state: 'cooling' | 'resting'; readonly until: number };

/** The regions that a credential actually calls for an endpoint of its provider; empty = global. */
export type CalledRegions = (endpoint: Endpoint, provider: Provider) => readonly string[];

/** Which models and regions of its provider a credential covers. */
export interface CredentialCoverage {
  readonly regionsFor: CalledRegions;
  /** False if the credential names the models that it is for (Azure deployments), and this is not one of them. */
  servesModel(modelId: string): boolean;
}

/** A BYOK key with the coverage of its credential. */
export interface RoutableKey extends CredentialCoverage {
  readonly key: ByokKey;
  /** Whether the credential can be opened and used at all. */
  readonly usable: boolean;
}

/** Keys in the ways that a plan asks for them, so that it does not have to go through all of them. */
export interface RoutableKeys {
  /** Enabled keys whose API-key and member filters contain the caller. */
  admittedTo(caller: RoutedCaller): readonly RoutableKey[];
  /** Enabled keys that name the caller: the first of their filters that restricts callers contains it. */
  naming(caller: RoutedCaller): readonly RoutableKey[];
  readonly providers: readonly string[];
  /** By id. */
  ofProvider(slug: string): readonly RoutableKey[];
}

/**
 * What all requests of a caller are planned from. It stays the same until the catalogue, a policy, a key or a shared
 * credential changes.
 */
export interface EvaluationContext {
  readonly providers: ReadonlyMap<string, Provider>;
  readonly caller: RoutedCaller;
  /** The account's preferences, its guardrails and the region of the host, combined. */
  readonly policy: Visibility;
  /** The BYOK keys of the caller's workspace; keys of others are ignored. */
  readonly keys: RoutableKeys;
  /** Providers with a shared credential, by slug, with its coverage. They include `demo`, which needs none. */
  readonly sharedProviders: ReadonlyMap<string, CredentialCoverage>;
  /** Resolves names in `allowed_models` (id, slug, alias) to model ids. An unknown name resolves to itself. */
  readonly resolveModelId: (name: string) => string;
}

/** The format that a request was sent in, and the parts of it that no other format can express. */
export interface NativeDemand {
  readonly format: NativeFormat;
  /** Why endpoints that don't speak the format can't serve it; empty if they can. */
  readonly nativeOnly: readonly Violation[];
  /** Whether all of its names have to mean one model. */
  readonly wantsOneModel?: true;
}

/** Another model that a request names for its host to answer with. */
export interface NamedModel {
  /** Where the request names it: `fallbacks[0].model`. */
  readonly field: string;
  /** The host's name for it. */
  readonly name: string;
  /** undefined if the catalogue has no model of that name. */
  readonly model?: Model | undefined;
  /** Endpoints whose provider has a model of exactly this name, whatever it is called here. */
  readonly hosted?: readonly Endpoint[];
}

/** What a request reaches beyond its model, with the models that it names resolved the way its own is. */
export interface DemandedReach extends Omit<Reach, 'models'> {
  readonly models: readonly NamedModel[];
}

/** What plans need to know about the cost of a request besides prices. */
export interface CostDemand {
  /** A server tool whose cost has no known maximum; null = none. */
  readonly unbounded: HostWork | null;
  /** As `unbounded`, of what this endpoint is asked for. */
  unboundedAt(
    served: Pick<Attempt, 'endpoint' | 'provider'> & { readonly key?: Attempt['key'] },
  ): HostWork | null;
  /** Whether a limit or budget applies to the request. */
  readonly isLimited: boolean;
  /** The most that the request may cost at list price with this attempt. Work without a limit counts as one use. */
  mostOf(attempt: Pick<Attempt, 'endpoint' | 'provider' | 'modelReasoning'>): NanoUsd;
}

/** What differs between the requests of a caller, or changes over time. */
export interface RequestDemands {
  readonly preferences: ProviderPreferences;
  /** Parameters that the request uses, in the catalogue's spelling; empty without `requireParameters`. */
  readonly usedParameters: readonly string[];
  /** null for chats. */
  readonly native: NativeDemand | null;
  /** What the request reaches if it is sent in this format. Computed once for each, when it is first asked for. */
  reach(format: Format): DemandedReach;
  /** What the request uses that not all hosts take. */
  readonly uses: Pick<RequestUses, 'sentAs' | 'fieldOf' | 'namesGeo'>;
  /** What hosts take. */
  readonly contracts: ContractsOfAdapters;
  /** In which mode the request asks to be served. */
  readonly modes: Pick<RequestModes, 'at'>;
  /** The low estimate, so that no endpoint is excluded that the prompt may fit; null = unknown. */
  readonly promptTokens: number | null;
  /** null if the request has neither server tools without a limit nor a maximum cost. */
  readonly cost: CostDemand | null;
  /** The completion tokens that an endpoint has to allow; null = any number. */
  readonly maxTokens: number | null;
  /** Whether the use of shared capacity is charged. */
  readonly isBilled: boolean;
  readonly hasCredits: boolean;
  /** Whether some of the month's free BYOK allowance is left. Without it and without credits, keys can't be used. */
  readonly hasByokAllowance: boolean;
  /** The client's name for the conversation, by which one of several equal endpoints is chosen; null = none. */
  readonly session: string | null;
  statistics(endpointId: string, byokKeyId: string | null): EndpointStatistics | undefined;
  health(endpointId: string, byokKeyId: string | null): EndpointHealth;
}

/** Everything that the plan for one model is computed from. The model is never an alias. */
export interface PlanInput extends EvaluationContext, RequestDemands {
  readonly model: Model;
  readonly maxAttempts: number;
}

/** One try to serve the request: an endpoint, and the credential to call it with. */
export interface Attempt {
  readonly endpoint: Endpoint;
  readonly provider: Provider;
  /** The reasoning capabilities of the endpoint's model; null = none. */
  readonly modelReasoning: ReasoningSupport | null;
  /** null on shared capacity. */
  readonly key: ByokKey | null;
  readonly section: 'shared' | Section;
  /** The region actually called; null = global, or one of several that the provider chooses from. */
  readonly region: string | null;
  readonly health: EndpointHealth;
}

/** A candidate that is not an attempt, with the first reason why. */
export interface Exclusion {
  readonly provider: string;
  /** null for a key that has no endpoint for the model. */
  readonly endpointId: string | null;
  readonly byokKeyId: string | null;
  readonly reason: ExclusionReason;
  /** One sentence for people. */
  readonly detail: string;
  /** The parts of the request without which it would not be excluded. */
  readonly violations?: readonly Violation[];
  /** Set where the request would be sent with an own key. */
  readonly needsOwnKey?: true;
  /** The member of the request that names what is excluded, if that is not the request's model. */
  readonly field?: string;
  /** By how much the request is longer than the endpoint's context, where it is for that. */
  readonly overflow?: ContextOverflow;
}

/** Why a candidate is tried last. */
export type DeferredState = Exclude<EndpointHealth['state'], 'ok'>;

/** Why an attempt of a request was not made. */
export type PassedOverState = DeferredState | 'insufficient_reservation';

/**
 * How many candidates are excluded for each reason. For a request that was made, also how many were passed over.
 */
export type ExclusionCounts = Readonly<Partial<Record<ExclusionReason | PassedOverState, number>>>;

/** The route for one model: attempts in the order in which they are made, and what is excluded, in order. */
export interface RoutingPlan {
  readonly attempts: readonly Attempt[];
  /** Without the keys that do not admit the caller. */
  readonly excludedForCaller: readonly Exclusion[];
  /** Names in `order`, `only` or `ignore` that are not a provider's. */
  readonly unknownProviders: readonly string[];
}

/** With everything that is excluded. */
export interface WholePlan extends RoutingPlan {
  readonly excluded: readonly Exclusion[];
}
