/** What a request says of reasoning, in either of its spellings (spec 2.1, ModelReasoning). */
import type { Violation } from '../../base/problem.js';
import { REASONING_EFFORTS } from '../../catalog/enums.js';
import type { JsonObject } from '../../formats/chat/types.js';
import { EFFORTS, type RequestedReasoning } from './reasoning.js';

/** The members of a request that bear on reasoning, as they were sent. */
export interface ReasoningMembers {
  /** `enabled`, `effort`, `max_tokens`, `exclude`. */
  readonly reasoning?: JsonObject;
  /** Another spelling of `reasoning.effort`. */
  readonly reasoning_effort?: unknown;
  /** Another spelling of the opposite of `reasoning.exclude`. */
  readonly include_reasoning?: unknown;
}

/** What the members ask for. Of contradictory ones, which `reasoningViolations` tells of, any may win. */
export function requestedReasoning(members: ReasoningMembers): RequestedReasoning {
  const { enabled, max_tokens } = members.reasoning ?? {};
  const { effort, field } = effortOf(members);
  if (enabled === false)
    return { isEnabled: false, effort: null, maxTokens: null, field: 'reasoning.enabled' };
  if (effort === 'none') return { isEnabled: false, effort: null, maxTokens: null, field };
  const known = EFFORTS.find((one) => one === effort) ?? null;
  const maxTokens = typeof max_tokens === 'number' ? max_tokens : null;
  const isEnabled = enabled === true || known !== null || maxTokens !== null ? true : null;
  return { isEnabled, effort: known, maxTokens, field: maxTokens === null ? field : 'reasoning.max_tokens' };
}

/** Whether the answer is to be sent without the reasoning that led to it. */
export function isReasoningHidden({ reasoning, include_reasoning }: ReasoningMembers): boolean {
  return reasoning?.exclude === true || include_reasoning === false;
}

/**
 * The rules that the members break, whatever the model. `enabled: false` contradicts no effort and no bound: it says
 * that they don't matter.
 */
export function reasoningViolations(members: ReasoningMembers): Violation[] {
  const { reasoning, reasoning_effort, include_reasoning } = members;
  if (reasoning === undefined && reasoning_effort === undefined && include_reasoning === undefined) return [];
  const { enabled, max_tokens, exclude, effort: nested } = reasoning ?? {};
  const { effort } = effortOf(members);
  const isSaid = (value: unknown) => value !== undefined && value !== null;
  const rules: (Violation & { isBroken: boolean })[] = [
    {
      field: 'reasoning_effort',
      rule: 'enum',
      message: `must be one of ${REASONING_EFFORTS.join(', ')}`,
      isBroken: isSaid(reasoning_effort) && !REASONING_EFFORTS.some((one) => one === reasoning_effort),
    },
    {
      field: 'reasoning_effort',
      rule: 'conflict',
      message: 'must say what reasoning.effort says, or be left out',
      isBroken: isSaid(nested) && isSaid(reasoning_effort) && nested !== reasoning_effort,
    },
    {
      field: 'include_reasoning',
      rule: 'type',
      message: 'must be a boolean',
      isBroken: isSaid(include_reasoning) && typeof include_reasoning !== 'boolean',
    },
    {
      field: 'include_reasoning',
      rule: 'conflict',
      message: 'must not contradict reasoning.exclude',
      isBroken: typeof exclude === 'boolean' && exclude === include_reasoning,
    },
    {
      field: 'reasoning.max_tokens',
      rule: 'conflict',
      message: 'must not stand beside an effort: one of them says how much to reason',
      isBroken: isSaid(max_tokens) && isSaid(effort),
    },
    {
      field: 'reasoning.enabled',
      rule: 'conflict',
      message: 'must not be true beside effort none',
      isBroken: enabled === true && effort === 'none',
    },
  ];
  return rules.flatMap(({ isBroken, ...violation }) => (isBroken ? [violation] : []));
}

function effortOf({ reasoning, reasoning_effort }: ReasoningMembers): { effort: unknown; field: string } {
  const nested = reasoning?.effort ?? null;
  return nested === null && reasoning_effort !== undefined && reasoning_effort !== null
    ? { effort: reasoning_effort, field: 'reasoning_effort' }
    : { effort: nested, field: 'reasoning.effort' };
}
