/** The errors of requests that can't be routed at all. See docs/routing.md#when-nothing-serves. */
import { nearestNames } from '../base/nearest.js';
import { type Metadata, Problem } from '../base/problem.js';
import { allowanceUsedUp, creditsSpent, type Payment } from '../ledger/fee.js';
import type { FallbackChain } from './plan/plan.js';
import type { Exclusion, ExclusionReason } from './types.js';

/** Known ids suggested for an unknown one. */
const SUGGESTIONS = 3;

/** A name in the request that is no model in the catalogue, with its member (`model`, `models[1]`). */
export interface UnknownModel {
  readonly field: string;
  readonly name: string;
}

/**
 * The error for a chain without attempts: 403 when a guardrail refuses the region that the request came in through, 402
 * when only credits are missing, else 404. Its metadata counts the reasons: `{reasons: {data_policy_zdr: 3}}`.
 * Returned, not thrown.
 */
export function refusal({ plans, refusedRegion }: FallbackChain, payment: Payment): Problem {
  if (refusedRegion !== null) {
    return new Problem(
      'region_not_allowed',
      `A guardrail does not allow requests through the region ${refusedRegion}`,
    );
  }
  const excluded = plans.flatMap(({ plan }) => plan.excluded);
  const counts = countReasons(excluded.map(({ reason }) => reason));
  const metadata = { reasons: Object.fromEntries(counts) };
  if (counts.has('insufficient_credits')) return insufficientCredits(excluded, payment, metadata);
  const models = plans.map(({ modelId }) => modelId).join(', ');
  const because = [...counts].map(([reason, count]) => `${reason} (${count})`).join(', ');
  const message = `No endpoint of ${models} can serve this request: ${because || 'there is none'}`;
  return new Problem('no_endpoint', message, { metadata });
}

/** Where a BYOK key would serve if its fee could be paid, the message also reports the used-up free allowance. */
function insufficientCredits(excluded: readonly Exclusion[], payment: Payment, reasons: Metadata): Problem {
  const spent = (message: string, metadata: Metadata) =>
    new Problem('insufficient_credits', `Insufficient credits: ${message}`, { metadata });
  const unaffordable = excluded.filter(({ reason }) => reason === 'insufficient_credits');
  if (unaffordable.every(({ byokKeyId }) => byokKeyId === null)) {
    return spent(creditsSpent(payment), reasons);
  }
  const { message, metadata } = allowanceUsedUp(payment);
  return spent(message, { ...reasons, ...metadata });
}

/** 400 naming each unknown model and the known ids nearest to it. Returned, not thrown. */
export function unknownModels(unknown: readonly UnknownModel[], knownIds: Iterable<string>): Problem {
  const known = [...knownIds];
  const violations = unknown.map(({ field, name }) => {
    const nearest = nearestNames(name, known, SUGGESTIONS);
    const hint = nearest.length === 0 ? '' : `; did you mean ${nearest.join(', ')}?`;
    return { field, rule: 'known', message: `${JSON.stringify(name)} is not a known model${hint}` };
  });
  return new Problem('unknown_model', violations.map(({ message }) => message).join('; '), { violations });
}

/** The most frequent reason first, equally frequent ones by name. */
function countReasons(reasons: readonly ExclusionReason[]): Map<ExclusionReason, number> {
  const counts = new Map<ExclusionReason, number>();
  for (const reason of reasons.toSorted()) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return new Map([...counts].sort(([, a], [, b]) => b - a));
}
