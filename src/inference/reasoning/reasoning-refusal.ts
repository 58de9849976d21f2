/** What models refuse to be asked of reasoning (spec 2.1, ModelReasoning). */
import { invalid, type Violation } from '../../base/problem.js';
import { excludedAs, excludedFor } from '../../routing/plan/candidates.js';
import type { FallbackChain } from '../../routing/plan/plan.js';
import type { Attempt } from '../../routing/types.js';
import {
  type ReasoningMembers,
  type RequestedReasoning,
  requestedReasoning,
  supportedEfforts,
} from './reasoning.js';

/**
 * The attempts whose model reasons as it is asked to. Of a request that names several models, those that refuse are
 * passed over. Throws a 400 Problem when all refuse.
 */
export function attemptsThatReason(
  attempts: readonly Attempt[],
  members: ReasoningMembers,
  requireParameters: boolean,
): readonly Attempt[] {
  const { willing, refusals } = sortOut(attempts, members, requireParameters);
  if (willing.length > 0 || refusals.length === 0) return willing;
  const byModel = new Map(refusals.map(({ attempt, violation }) => [attempt.endpoint.modelId, violation]));
  throw invalid([...byModel.values()]);
}

/**
 * The chain as a chat takes it: an attempt whose model refuses is an exclusion of its plan, behind the others. Where
 * all refuse, a chat is a 400; here no attempt is left, and every exclusion says why (interface section 6).
 */
export function chainThatReasons(
  chain: FallbackChain,
  members: ReasoningMembers,
  requireParameters: boolean,
): FallbackChain {
  const { willing, refusals } = sortOut(chain.attempts, members, requireParameters);
  const plans = chain.plans.map(({ modelId, plan }) => {
    const own = refusals
      .filter(({ attempt }) => attempt.endpoint.modelId === modelId)
      .map(({ attempt, violation }) =>
        excludedAs(attempt, excludedFor('unsupported_parameter', `${violation.message}.`)),
      );
    return { modelId, plan: { ...plan, excluded: [...plan.excluded, ...own] } };
  });
  return { ...chain, attempts: willing, plans };
}

/** An attempt whose model refuses, and why. */
interface Refusal {
  readonly attempt: Attempt;
  readonly violation: Violation;
}

function sortOut(
  attempts: readonly Attempt[],
  members: ReasoningMembers,
  requireParameters: boolean,
): { readonly willing: readonly Attempt[]; readonly refusals: readonly Refusal[] } {
  const spend = requestedReasoning(members);
  if (spend.isEnabled === null) return { willing: attempts, refusals: [] };
  const refusals: Refusal[] = [];
  const willing = attempts.filter((attempt) => {
    const violation = reasoningRefusal(spend, attempt, requireParameters);
    if (violation !== undefined) refusals.push({ attempt, violation });
    return violation === undefined;
  });
  return { willing, refusals };
}

/**
 * Why a model does not reason as it is asked to; undefined when it does. Reasoning that is mandatory can't be turned
 * off. With `require_parameters`, what the model does not take as it is asked is refused too, instead of being said in
 * the model's own terms.
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
