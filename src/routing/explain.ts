/** The route that a request would take, as `POST /routing/explain` shows it. See docs/routing.md#explain. */
import { formatDecimal } from '../base/money.js';
import { type Lane, laneOf } from '../catalog/formats.js';
import type { Format, PriceKey, Pricing } from '../catalog/types.js';
import { discountedPrice } from './plan/checks.js';
import type { FallbackChain } from './plan/plan.js';
import type { Attempt, EndpointHealth, Exclusion, ExclusionReason } from './types.js';

export interface ExplainedAttempt {
  /** From 0. */
  readonly position: number;
  readonly provider: string;
  readonly providerName: string;
  readonly model: string;
  readonly endpoint: string;
  readonly region: string | null;
  readonly isByok: boolean;
  readonly byokKeyId: string | null;
  /** The key's masked credential, never the credential. */
  readonly byokLabel: string | null;
  readonly section: Attempt['section'];
  /** USD per token after discount, as decimal texts. */
  readonly price: { readonly prompt: string; readonly completion: string };
  readonly standing: EndpointHealth;
  readonly lane: Lane;
}

export interface ExplainedExclusion extends Exclusion {
  /** The model whose plan excludes it. */
  readonly model: string;
}

/** What a person can look through; a workspace may have thousands of keys that are not for the caller. */
const MAX_LISTED_EXCLUSIONS = 200;

/** Attempts in their order, exclusions, and the provider names of the request that do not exist. */
export interface ExplainedRoute {
  readonly attempts: readonly ExplainedAttempt[];
  /** The first `MAX_LISTED_EXCLUSIONS`. */
  readonly excluded: readonly ExplainedExclusion[];
  /** Of all exclusions. */
  readonly excludedCounts: Readonly<Partial<Record<ExclusionReason, number>>>;
  readonly unknownProviders: readonly string[];
}

/** The chain of a request in the format. */
export function explain(
  { attempts, plans, unknownProviders }: FallbackChain,
  format: Format,
): ExplainedRoute {
  const excluded: ExplainedExclusion[] = [];
  const excludedCounts: Partial<Record<ExclusionReason, number>> = {};
  for (const { modelId, plan } of plans) {
    for (const one of plan.excluded) {
      if (excluded.length < MAX_LISTED_EXCLUSIONS) excluded.push({ ...one, model: modelId });
      excludedCounts[one.reason] = (excludedCounts[one.reason] ?? 0) + 1;
    }
  }
  return {
    attempts: attempts.map((attempt, position) => explainAttempt(attempt, position, format)),
    excluded,
    excludedCounts,
    unknownProviders,
  };
}

function explainAttempt(attempt: Attempt, position: number, format: Format): ExplainedAttempt {
  const { endpoint, provider, key, section, region, health } = attempt;
  return {
    position,
    provider: provider.slug,
    providerName: provider.name,
    model: endpoint.modelId,
    endpoint: endpoint.id,
    region,
    isByok: key !== null,
    byokKeyId: key?.id ?? null,
    byokLabel: key?.label ?? null,
    section,
    price: {
      prompt: priceText(endpoint.pricing, 'prompt'),
      completion: priceText(endpoint.pricing, 'completion'),
    },
    standing: health,
    lane: laneOf(format, endpoint, provider),
  };
}

function priceText(pricing: Pricing, key: PriceKey): string {
  return formatDecimal(discountedPrice(pricing, key) ?? { digits: 0n, scale: 0 });
}
