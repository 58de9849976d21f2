/** The route that a request would take, as `POST /routing/explain` shows it. See docs/routing.md#explain. */
import { formatDecimal } from '../../base/money.js';
import { type Lane, laneOf } from '../../catalog/formats.js';
import { discountedPrice } from '../../catalog/price.js';
import type { Format, PriceKey, Pricing } from '../../catalog/types.js';
import { countReasons } from '../plan/exclusion.js';
import type { WholeChain } from '../plan/plan.js';
import type { Attempt, EndpointHealth, Exclusion, ExclusionCounts } from '../types.js';
import { unrelatedKeys } from './unrelated-keys.js';

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
  readonly health: EndpointHealth;
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
  readonly excludedCounts: ExclusionCounts;
  /** Keys of providers that have none of the models, which are not among the exclusions. */
  readonly unrelatedKeys: number;
  readonly unknownProviders: readonly string[];
}

/** The chain of a request in the format. */
export function explain(chain: WholeChain, format: Format): ExplainedRoute {
  const { attempts, plans, unknownProviders } = chain;
  const excluded: ExplainedExclusion[] = [];
  for (const { modelId, plan } of plans) {
    const listed = plan.excluded.slice(0, MAX_LISTED_EXCLUSIONS - excluded.length);
    for (const exclusion of listed) excluded.push(explainExclusion(exclusion, modelId));
  }
  return {
    attempts: attempts.map((attempt, position) => explainAttempt(attempt, position, format)),
    excluded,
    excludedCounts: countReasons(plans.map(({ plan }) => plan.excluded)),
    unrelatedKeys: unrelatedKeys(chain),
    unknownProviders,
  };
}

function explainExclusion(exclusion: Exclusion, model: string): ExplainedExclusion {
  const { provider, endpointId, byokKeyId, reason, detail } = exclusion;
  return { provider, endpointId, byokKeyId, reason, detail, model };
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
    health,
    lane: laneOf(format, endpoint, provider),
  };
}

function priceText(pricing: Pricing, key: PriceKey): string {
  return formatDecimal(discountedPrice(pricing, key) ?? { digits: 0n, scale: 0 });
}
