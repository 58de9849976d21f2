/**
 * What a route is made of: a request in, attempts and exclusions out (spec 4.5, interface section 6). Everything
 * the plan depends on is an argument; it reads no clock, no database and no configuration.
 */
import type { Decimal } from '../base/money.js';
import type { ByokKey, Section } from '../byok/types.js';
import type { Endpoint, Model, Provider, Reasoning } from '../catalog/types.js';
import { VISIBILITY_REASONS, type Visibility } from '../catalog/visibility.js';

/**
 * Why an endpoint, or a key with an endpoint, is not an attempt; in the order of evaluation. The one that depends
 * on the other attempts, `fallbacks_not_allowed`, can only be known when all but the cap is.
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
  'no_shared_credential',
  'insufficient_credits',
  'fallbacks_not_allowed',
  'attempt_cap',
] as const;
export type ExclusionReason = (typeof EXCLUSION_REASONS)[number];

/** How endpoints of the same section are sorted beyond the requested order. */
export type Sort = 'price' | 'throughput' | 'latency';

/** Upper bounds of the request: `prompt` and `completion` in USD per million tokens, `request` and `image` in USD each. */
export interface MaxPrice {
  readonly prompt: Decimal | null;
  readonly completion: Decimal | null;
  readonly request: Decimal | null;
  readonly image: Decimal | null;
}

/** The `provider` member of a request. Lists hold provider slugs as sent; null = not given. */
export interface ProviderPreferences {
  /** An empty order orders nothing: it counts as not given. */
  readonly order: readonly string[] | null;
  readonly only: readonly string[] | null;
  readonly ignore: readonly string[] | null;
  readonly allowFallbacks: boolean;
  readonly requireParameters: boolean;
  /** 'deny' leaves endpoints that do not collect. */
  readonly dataCollection: 'allow' | 'deny' | null;
  readonly zdr: boolean;
  readonly quantizations: readonly string[] | null;
  /** null = by price. An account's default is laid under the request's before planning. */
  readonly sort: Sort | null;
  readonly maxPrice: MaxPrice | null;
}

/** The requesting side of a plan. */
export interface Caller {
  readonly apiKeyHash: string;
  readonly userId: string;
  readonly workspaceId: string;
}

/** What this gateway measured of an endpoint lately. */
export interface EndpointStatistics {
  readonly tokensPerSecond: number | null;
  readonly latencyMs: number | null;
}

/** Whether an endpoint or key is used in its order (`ok`) or tried last for a while (`cooling`, until an instant in Unix ms). */
export type Standing = { readonly state: 'ok' } | { readonly state: 'cooling'; readonly until: number };

/** The regions that a credential would really call for an endpoint of its provider; empty = global. */
export type CalledRegions = (endpoint: Endpoint, provider: Provider) => readonly string[];

/** What of its provider a credential reaches. */
export interface CredentialCoverage {
  readonly regionsFor: CalledRegions;
  /** Whether it is for the model at all (spec 2.4: an entry for one deployment is for one model). */
  servesModel(modelId: string): boolean;
}

/** A BYOK key with what routing must know of its credential. */
export interface RoutableKey extends CredentialCoverage {
  readonly key: ByokKey;
  /** Whether the credential can be opened and used at all. */
  readonly usable: boolean;
}

/**
 * What a caller's requests are planned from, whatever they ask for: it stays the same until somebody changes the
 * catalogue, a policy, a key or a shared credential.
 */
export interface EvaluationContext {
  readonly providers: ReadonlyMap<string, Provider>;
  readonly caller: Caller;
  /** What the account, its guardrails and the host say, already combined. */
  readonly policy: Visibility;
  /** All BYOK keys of the caller's workspace; those of another are no part of the plan. */
  readonly keys: readonly RoutableKey[];
  /** Providers with a shared credential, by slug, and what it reaches (`demo` needs none and is among them). */
  readonly sharedProviders: ReadonlyMap<string, CredentialCoverage>;
  /** Resolves names in `allowed_models` (id, slug, alias) to model ids; unknown names to themselves. */
  readonly resolveModelId: (name: string) => string;
}

/** What differs from one request of a caller to the next, and from one instant to the next. */
export interface RequestDemands {
  readonly preferences: ProviderPreferences;
  /** Parameters that the request uses, in the catalogue's spelling; they matter with `requireParameters`. */
  readonly usedParameters: readonly string[];
  /** Prompt tokens counted low, so that nothing is excluded which may fit; null = unknown. */
  readonly promptTokens: number | null;
  /** Completion tokens that the request asks for at most; null = not said. */
  readonly maxTokens: number | null;
  readonly hasCredits: boolean;
  /** Whether the month's free BYOK allowance lasts; when neither it nor credits are left, keys can't be used. */
  readonly hasByokAllowance: boolean;
  statistics(endpointId: string): EndpointStatistics | undefined;
  standing(endpointId: string, byokKeyId: string | null): Standing;
}

/** Everything that one plan, for one model, is computed from. The model is a concrete one, never an alias. */
export interface PlanInput extends EvaluationContext, RequestDemands {
  readonly model: Model;
  readonly maxAttempts: number;
}

/** One try to serve the request: an endpoint, and whose credential pays. */
export interface Attempt {
  readonly endpoint: Endpoint;
  readonly provider: Provider;
  /** How the endpoint's model reasons; null where it does not. */
  readonly modelReasoning: Reasoning | null;
  /** null on shared capacity. */
  readonly key: ByokKey | null;
  readonly section: 'shared' | Section;
  /** The region really called; null = global, or one of several of the provider's choice. */
  readonly region: string | null;
  readonly standing: Standing;
}

/** An endpoint, or a key with an endpoint, that is no attempt, and the first reason why. */
export interface Exclusion {
  readonly provider: string;
  /** null for a key that has no endpoint for the model. */
  readonly endpointId: string | null;
  readonly byokKeyId: string | null;
  readonly reason: ExclusionReason;
  /** One sentence for a person. */
  readonly detail: string;
}

/** The route for one model: attempts in the order in which they are made, and all that is left out. */
export interface Plan {
  readonly attempts: readonly Attempt[];
  readonly excluded: readonly Exclusion[];
  /** Names in order, only or ignore that name no provider. */
  readonly unknownProviders: readonly string[];
}
