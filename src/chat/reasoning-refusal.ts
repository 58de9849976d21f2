/** What models refuse to be asked of reasoning (spec 2.1, ModelReasoning). */
import { invalid, type Violation } from '../base/problem.js';
import type { Attempt } from '../routing/types.js';
import { askedReasoning, type ReasoningMembers } from './asked-reasoning.js';
import { type AskedReasoning, supportedEfforts } from './reasoning.js';

/**
 * The attempts whose model reasons as it is asked to. Of a request that names several models, those that refuse are
 * passed over. Throws a 400 Problem when all refuse.
 */
export function attemptsThatReason(
  attempts: readonly Attempt[],
  members: ReasoningMembers,
  requireParameters: boolean,
): readonly Attempt[] {
  const asked = askedReasoning(members);
  if (asked.isEnabled === null) return attempts;
  const refusals = new Map<string, Violation>();
  const willing = attempts.filter((attempt) => {
    const refusal = reasoningRefusal(asked, attempt, requireParameters);
    if (refusal !== undefined) refusals.set(attempt.endpoint.modelId, refusal);
    return refusal === undefined;
  });
  if (willing.length === 0 && refusals.size > 0) throw invalid([...refusals.values()]);
  return willing;
}

/**
 * Why a model does not reason as it is asked to; undefined when it does. Reasoning that is mandatory can't be turned off. With `require_parameters`, what the model does not take as it is
 * asked is refused too, instead of being said in the model's own terms.
 */
export function reasoningRefusal(
  { isEnabled, effort, maxTokens, field }: AskedReasoning,
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
