/** Which attempts support the requested reasoning, and why the others don't. See `docs/formats.md#reasoning`. */
import { invalid, type Violation } from '../../base/problem.js';
import { laneOf } from '../../catalog/formats.js';
import { excludedAs, excludedFor } from '../../routing/plan/exclusion.js';
import type { WholeChain } from '../../routing/plan/plan.js';
import type { Attempt, NativeDemand } from '../../routing/types.js';
import {
  type ReasoningMembers,
  type RequestedReasoning,
  requestedReasoning,
  supportedEfforts,
} from './reasoning.js';

/**
 * The attempts whose model supports the requested reasoning. Throws a 400 Problem with one violation for each model when
 * none does. Providers of native attempts judge for themselves; and clients of other formats than chats switch reasoning
 * off for small tasks, whatever the model: one that always reasons does so least then.
 */
export function attemptsSupportingReasoning(
  attempts: readonly Attempt[],
  members: ReasoningMembers,
  requireParameters: boolean,
  native?: NativeDemand,
): readonly Attempt[] {
  const { supporting, refusals } = partition(attempts, members, requireParameters, native);
  if (supporting.length > 0 || refusals.length === 0) return supporting;
  const byModel = new Map(refusals.map(({ attempt, violation }) => [attempt.endpoint.modelId, violation]));
  throw invalid([...byModel.values()]);
}

/**
 * The chain as a chat would run it, with attempts whose model refuses the reasoning turned into exclusions of its plan.
 * Unlike `attemptsSupportingReasoning` it does not throw when no attempt is left.
 */
export function chainSupportingReasoning(
  chain: WholeChain,
  members: ReasoningMembers,
  requireParameters: boolean,
  native?: NativeDemand,
): WholeChain {
  const { supporting, refusals } = partition(chain.attempts, members, requireParameters, native);
  if (refusals.length === 0) return chain;
  const plans = chain.plans.map(({ modelId, plan }) => {
    const ofModel = refusals
      .filter(({ attempt }) => attempt.endpoint.modelId === modelId)
      .map(({ attempt, violation }) =>
        excludedAs(attempt, excludedFor('unsupported_parameter', `${violation.message}.`)),
      );
    return { modelId, plan: { ...plan, excluded: [...plan.excluded, ...ofModel] } };
  });
  return { ...chain, attempts: supporting, plans };
}

interface Refusal {
  readonly attempt: Attempt;
  readonly violation: Violation;
}

function partition(
  attempts: readonly Attempt[],
  members: ReasoningMembers,
  requireParameters: boolean,
  native?: NativeDemand,
): { readonly supporting: readonly Attempt[]; readonly refusals: readonly Refusal[] } {
  const requested = requestedReasoning(members);
  if (requested.isEnabled === null) return { supporting: attempts, refusals: [] };
  const refusals: Refusal[] = [];
  const supporting = attempts.filter((attempt) => {
    const { endpoint, provider } = attempt;
    if (native !== undefined && !requireParameters) return true;
    if (native !== undefined && laneOf(native.format, endpoint, provider) === 'native') return true;
    const violation = reasoningRefusal(requested, attempt, requireParameters);
    if (violation !== undefined) refusals.push({ attempt, violation });
    return violation === undefined;
  });
  return { supporting, refusals };
}

/**
 * Why a model does not support the requested reasoning; undefined when it does. Mandatory reasoning can't be turned off.
 * With `require_parameters`, efforts and bounds that the model does not accept are refused instead of converted.
 */
export function reasoningRefusal(
  { isEnabled, effort, maxTokens, field }: RequestedReasoning,
  { modelReasoning: model, endpoint: { modelId } }: Pick<Attempt, 'modelReasoning' | 'endpoint'>,
  requireParameters: boolean,
): Violation | undefined {
  if (model === null) return undefined;
  if (isEnabled === false) {
    const message = `${modelId} always reasons: its reasoning cannot be turned off`;
    return model.mandatory ? { field, rule: 'mandatory', message } : undefined;
  }
  if (!requireParameters) return undefined;
  if (maxTokens !== null && !model.supportsMaxTokens) {
    return { field, rule: 'unsupported', message: `${modelId} takes no bound of its reasoning` };
  }
  const supported = supportedEfforts(model.supportedEfforts ?? []);
  if (effort !== null && Array.isArray(model.supportedEfforts) && !supported.includes(effort)) {
    const message = `${modelId} takes no such effort, but ${supported.join(', ') || 'none at all'}`;
    return { field, rule: 'unsupported', message };
  }
  return undefined;
}
