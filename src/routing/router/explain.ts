/** Describes the route that a request would take, for `POST /routing/explain`. See docs/routing.md#explain. */
import { formatDecimal } from '../../base/money.js';
import { type Lane, laneOf } from '../../catalog/formats.js';
import type { Format, PriceKey } from '../../catalog/types.js';
import { priceInMode, priceModeOf } from '../../ledger/pricing/rates.js';
import { countReasons } from '../plan/exclusion.js';
import type { WholeChain } from '../plan/plan.js';
import type { Attempt, EndpointHealth, Exclusion, ExclusionCounts, RequestDemands } from '../types.js';
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
  /** USD per token in the mode of the request after discount, as decimal texts. */
  readonly price: { readonly prompt: string; readonly completion: string };
  /** The mode that the price is of, as records have it; null = the base. */
  readonly priceMode: string | null;
  readonly health: EndpointHealth;
  readonly lane: Lane;
}

export interface ExplainedExclusion extends Exclusion {
  /** The model whose plan has the exclusion. */
  readonly model: string;
}

/** As many as a person can look through. A workspace may have thousands of keys that are not for the caller. */
const MAX_LISTED_EXCLUSIONS = 200;

/** Attempts in their order, exclusions, and names in the request that are not a provider's. */
export interface ExplainedRoute {
  readonly attempts: readonly ExplainedAttempt[];
  /** The first `MAX_LISTED_EXCLUSIONS`. */
  readonly excluded: readonly ExplainedExclusion[];
  /** Counts all exclusions, listed or not. */
  readonly excludedCounts: ExclusionCounts;
  /** Keys of providers that have none of the models. They are not among the exclusions. */
  readonly unrelatedKeys: number;
  readonly unknownProviders: readonly string[];
}

/** Explains the chain of a request in this format. */
export function explain(chain: WholeChain, format: Format): ExplainedRoute {
  const { attempts, plans, context, unknownProviders } = chain;
  const excluded: ExplainedExclusion[] = [];
  for (const { modelId, plan } of plans) {
    const listed = plan.excluded.slice(0, MAX_LISTED_EXCLUSIONS - excluded.length);
    for (const exclusion of listed) excluded.push(explainExclusion(exclusion, modelId));
  }
  return {
    attempts: attempts.map((attempt, position) => explainAttempt(attempt, position, format, context)),
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

function explainAttempt(
  attempt: Attempt,
  position: number,
  format: Format,
  { modes, promptTokens }: Pick<RequestDemands, 'modes' | 'promptTokens'>,
): ExplainedAttempt {
  const { endpoint, provider, key, section, region, health } = attempt;
  const { mode } = modes.at(endpoint, provider);
  const priceText = (name: PriceKey) =>
    formatDecimal(priceInMode(endpoint.pricing, name, mode, promptTokens ?? 0) ?? { digits: 0n, scale: 0 });
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
      prompt: priceText('prompt'),
      completion: priceText('completion'),
    },
    priceMode: priceModeOf(endpoint.pricing, mode, promptTokens ?? 0),
    health,
    lane: laneOf(format, endpoint, provider),
  };
}
