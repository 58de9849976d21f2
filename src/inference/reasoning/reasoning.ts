/**
 * How a model is to reason (spec 2.1, ModelReasoning): what a request asks for, in the form that the model of an
 * attempt takes. What the request itself contradicts, or a model refuses, has been told before.
 */

import type { Violation } from '../../base/problem.js';
import { REASONING_EFFORTS } from '../../catalog/enums.js';
import type { Reasoning as ModelReasoning } from '../../catalog/types.js';
import type { JsonObject } from '../../formats/chat/types.js';

/** How hard a model is to think, in the gateway's words, whatever the provider's are. */
export type Effort = Exclude<(typeof REASONING_EFFORTS)[number], 'none'>;

/** What a request comes to for the model of one attempt (spec 2.1). At most one of effort and bound is set. */
export interface Reasoning {
  readonly isEnabled: boolean;
  /** null where the request names none: the provider's own default holds. */
  readonly effort: Effort | null;
  /** Reasoning tokens at most; null = no bound of its own. */
  readonly maxTokens: number | null;
}

/** What a request asks for, whatever the model. */
export interface RequestedReasoning {
  /** null where the request leaves it open. Effort `none` is off; another effort or a bound is on. */
  readonly isEnabled: boolean | null;
  readonly effort: Effort | null;
  readonly maxTokens: number | null;
  /** The member that says the most of it; the one to blame when a model refuses. */
  readonly field: string;
}

/** The efforts of reasoning, highest first. */
export const EFFORTS: readonly Effort[] = REASONING_EFFORTS.filter((effort) => effort !== 'none');

/** What an effort may take of an answer's tokens, in percent, where a model or protocol knows only the one or the other. */
const SHARES: Readonly<Record<Effort, number>> = {
  max: 95,
  xhigh: 95,
  high: 80,
  medium: 50,
  low: 20,
  minimal: 10,
};

const OFF: Reasoning = { isEnabled: false, effort: null, maxTokens: null };

/**
 * How the model is to reason; null leaves it to the provider, as for every model that does not reason. An effort that
 * the model does not support becomes the nearest that it does, of two equally near the lower. A model that takes
 * nothing but a bound gets the effort's share of `answerTokens`, the most tokens that the answer may have; one that
 * takes no bound gets the effort whose share is nearest. What the request leaves open is the model's default.
 */
export function reasoningFor(
  spend: RequestedReasoning,
  model: ModelReasoning | null,
  answerTokens: number,
): Reasoning | null {
  if (model === null) return null;
  const isEnabled = spend.isEnabled ?? defaultState(model);
  if (isEnabled === null) return null;
  if (!isEnabled) return OFF;
  if (spend.maxTokens !== null) return boundedTo(spend.maxTokens, model, answerTokens);
  return withEffort(spend.effort ?? defaultEffort(model), model, answerTokens);
}

/** The effort's share of an answer of so many tokens: for models and protocols that know nothing but a bound. */
export function boundOfEffort(effort: Effort, answerTokens: number): number {
  return Math.floor((answerTokens * SHARES[effort]) / 100);
}

/** The supported effort nearest to the wanted one, of two equally near the lower; null when the list names none. */
export function nearestEffort(wanted: Effort, supported: readonly string[]): Effort | null {
  const position = EFFORTS.indexOf(wanted);
  return nearest(supportedEfforts(supported), (effort) => Math.abs(EFFORTS.indexOf(effort) - position));
}

/** The effort whose share of the answer's tokens is nearest to this bound: for protocols that know no bound. */
export function effortOfBound(maxTokens: number, answerTokens: number): Effort {
  const percent = (100 * maxTokens) / answerTokens;
  return nearest(EFFORTS, (effort) => Math.abs(SHARES[effort] - percent)) ?? 'medium';
}

/** The efforts among these words, highest first. */
export function supportedEfforts(words: readonly string[]): Effort[] {
  return EFFORTS.filter((effort) => words.includes(effort));
}

/** What holds when the request does not say; null = whatever the provider does. Only a request turns off what defaults to `none`. */
function defaultState({ defaultEnabled, defaultEffort: effort, mandatory }: ModelReasoning): boolean | null {
  if (defaultEnabled === undefined) return null;
  return !defaultEnabled && (mandatory || effort === 'none') ? null : defaultEnabled;
}

function defaultEffort({ defaultEffort: stated }: ModelReasoning): Effort | null {
  return EFFORTS.find((effort) => effort === stated) ?? null;
}

function boundedTo(maxTokens: number, model: ModelReasoning, answerTokens: number): Reasoning {
  if (model.supportsMaxTokens) return { isEnabled: true, effort: null, maxTokens };
  return withEffort(effortOfBound(maxTokens, answerTokens), model, answerTokens);
}

function withEffort(wanted: Effort | null, model: ModelReasoning, answerTokens: number): Reasoning {
  const { supportedEfforts: words, supportsMaxTokens } = model;
  if (wanted === null) return { isEnabled: true, effort: null, maxTokens: null };
  if (supportsMaxTokens && supportedEfforts(words ?? []).length === 0) {
    const maxTokens = Math.max(1, boundOfEffort(wanted, answerTokens));
    return { isEnabled: true, effort: null, maxTokens };
  }
  const isAnySupported = words === undefined || words === null;
  return {
    isEnabled: true,
    effort: isAnySupported ? wanted : nearestEffort(wanted, words),
    maxTokens: null,
  };
}

/** The last one at the least distance: of efforts, the lowest. */
function nearest(efforts: readonly Effort[], distanceOf: (effort: Effort) => number): Effort | null {
  return efforts.reduce<Effort | null>(
    (best, effort) => (best === null || distanceOf(effort) <= distanceOf(best) ? effort : best),
    null,
  );
}

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
