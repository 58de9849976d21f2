/** The errors of requests that can't be routed at all. See docs/routing.md#when-nothing-serves. */
import { nearestNames } from '../../base/nearest.js';
import { type Metadata, Problem } from '../../base/problem.js';
import { allowanceUsedUp, creditsSpent, type Payment } from '../../ledger/fee.js';
import { countReasons } from '../plan/exclusion.js';
import type { WholeChain } from '../plan/plan.js';
import { type RemedyPlace, remedies } from '../remedies/remedies.js';
import type { Exclusion, ExclusionCounts, RoutedCaller } from '../types.js';
import { unrelatedKeys } from './unrelated-keys.js';

/** Known ids suggested for an unknown one. */
const SUGGESTIONS = 3;

/** A name in the request that is no model in the catalogue, with its member (`model`, `models[1]`). */
export interface UnknownModel {
  readonly field: string;
  readonly name: string;
}

/** Who is refused. */
export interface Refused {
  readonly caller: Pick<RoutedCaller, 'workspaceId'> & { readonly accountId: string };
  readonly payment: Payment;
  /** Root of absolute URLs, without a trailing slash. */
  readonly baseUrl: string;
}

/** The error for a chain without attempts. Returned, not thrown. */
export type Refuse = (chain: WholeChain, refused: Refused) => Promise<Problem>;

export interface WorkspaceNames {
  findWorkspace(accountId: string, id: string): Promise<{ readonly name: string } | undefined>;
}

/** `refusal`, with the name of the caller's workspace. */
export function createRefuse(workspaces: WorkspaceNames): Refuse {
  return async (chain, { caller, payment, baseUrl }) => {
    const workspace = await workspaces.findWorkspace(caller.accountId, caller.workspaceId);
    return refusal(chain, payment, { workspaceName: workspace?.name ?? null, baseUrl });
  };
}

/**
 * The error for a chain without attempts: 403 when a guardrail refuses the region that the request came in through, 402
 * when only credits are missing, else 404, whose message says what to do. Its metadata counts the reasons,
 * `{reasons: {data_policy_zdr: 3}}`, and the keys of providers that have none of the models, `unrelated_keys`.
 * Returned, not thrown.
 */
export function refusal(chain: WholeChain, payment: Payment, place: RemedyPlace): Problem {
  const { plans, refusedRegion } = chain;
  if (refusedRegion !== null) {
    const remedy =
      'use a host of this gateway in another region, or ask an administrator of the account to add it to allowed_data_regions';
    return new Problem(
      'region_not_allowed',
      `A guardrail does not allow requests through the region ${refusedRegion}: ${remedy}`,
    );
  }
  const excluded = plans.flatMap(({ plan }) => plan.excluded);
  const reasons = byCount(countReasons(plans.map(({ plan }) => plan.excluded)));
  const metadata = { reasons, unrelated_keys: unrelatedKeys(chain) };
  if ('insufficient_credits' in reasons) return insufficientCredits(excluded, payment, metadata);
  return new Problem('no_endpoint', remedies(chain, place), { metadata });
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
function byCount(counts: ExclusionCounts): Record<string, number> {
  const named = Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(named.sort(([, a], [, b]) => b - a));
}
