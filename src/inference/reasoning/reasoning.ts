/**
 * The reasoning members of a request: their rules, what they ask for, and what that means for the model of an attempt.
 * See `docs/formats.md#reasoning`.
 */
import type { Violation } from '../../base/problem.js';
import { REASONING_EFFORTS } from '../../catalog/enums.js';
import type { Endpoint, ReasoningSupport as ModelReasoning } from '../../catalog/types.js';
import type { JsonObject } from '../../formats/chat/types.js';

/** The gateway's name of an effort, which adapters translate into the provider's. */
export type Effort = Exclude<(typeof REASONING_EFFORTS)[number], 'none'>;

/** Highest first. */
export const EFFORTS: readonly Effort[] = REASONING_EFFORTS.filter((effort) => effort !== 'none');

/** The members of a request that concern reasoning, as sent. */
export interface ReasoningMembers {
  /** `enabled`, `effort`, `max_tokens`, `exclude`. */
  readonly reasoning?: JsonObject;
  /** Another spelling of `reasoning.effort`. */
  readonly reasoning_effort?: unknown;
  /** Another spelling of the opposite of `reasoning.exclude`. */
  readonly include_reasoning?: unknown;
}

/** What a request asks for, independently of the model. */
export interface RequestedReasoning {
  /** null if the request leaves it open. Effort `none` turns it off; any other effort, or `max_tokens`, turns it on. */
  readonly isEnabled: boolean | null;
  readonly effort: Effort | null;
  readonly maxTokens: number | null;
  /** The member to name if a model refuses. */
  readonly field: string;
}

/** What a request means for the model of one attempt. Has at most one of `effort` and `maxTokens`. */
export interface Reasoning {
  readonly isEnabled: boolean;
  /**
   * null = the provider's default. If reasoning is off, it is the lowest effort of a model that does not have `none`.
   */
  readonly effort: Effort | null;
  /** Maximum of reasoning tokens; null = none. */
  readonly maxTokens: number | null;
  /** Set where nothing is known of the model's reasoning, nor does its endpoint advertise any. */
  readonly isUnrecorded?: true;
}

/**
 * The rules that the members break, independently of the model. `enabled: false` does not contradict an effort or
 * `max_tokens`, which it overrides.
 */
export function reasoningViolations(members: ReasoningMembers): Violation[] {
  const { reasoning, reasoning_effort, include_reasoning } = members;
  if (reasoning === undefined && reasoning_effort === undefined && include_reasoning === undefined) return [];
  const { enabled, max_tokens, exclude, effort: nested } = reasoning ?? {};
  const { effort } = effortOf(members);
  const isGiven = (value: unknown) => value !== undefined && value !== null;
  const rules: (Violation & { isBroken: boolean })[] = [
    {
      field: 'reasoning_effort',
      rule: 'enum',
      message: `must be one of ${REASONING_EFFORTS.join(', ')}`,
      isBroken: isGiven(reasoning_effort) && !REASONING_EFFORTS.some((one) => one === reasoning_effort),
    },
    {
      field: 'reasoning_effort',
      rule: 'conflict',
      message: 'must say what reasoning.effort says, or be left out',
      isBroken: isGiven(nested) && isGiven(reasoning_effort) && nested !== reasoning_effort,
    },
    {
      field: 'include_reasoning',
      rule: 'type',
      message: 'must be a boolean',
      isBroken: isGiven(include_reasoning) && typeof include_reasoning !== 'boolean',
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
      isBroken: isGiven(max_tokens) && isGiven(effort),
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

/** If members contradict each other, which `reasoningViolations` reports, any of them may win. */
export function requestedReasoning(members: ReasoningMembers): RequestedReasoning {
  const { enabled, max_tokens } = members.reasoning ?? {};
  const { effort: name, field } = effortOf(members);
  if (enabled === false) {
    return { isEnabled: false, effort: null, maxTokens: null, field: 'reasoning.enabled' };
  }
  if (name === 'none') return { isEnabled: false, effort: null, maxTokens: null, field };
  const effort = effortNamed(name);
  const maxTokens = typeof max_tokens === 'number' ? max_tokens : null;
  const isEnabled = enabled === true || effort !== null || maxTokens !== null ? true : null;
  return { isEnabled, effort, maxTokens, field: maxTokens === null ? field : 'reasoning.max_tokens' };
}

/** Whether the answer is to be sent without its reasoning. */
export function isReasoningHidden({ reasoning, include_reasoning }: ReasoningMembers): boolean {
  return reasoning?.exclude === true || include_reasoning === false;
}

/** How the model of an attempt shall reason. If nothing is known about the model's reasoning, as the request says. */
export function reasoningOf(
  members: ReasoningMembers,
  { modelReasoning, endpoint }: { modelReasoning: ModelReasoning | null; endpoint: Endpoint },
  answerTokens: number,
): Reasoning | null {
  const reasoning = reasoningFor(requestedReasoning(members), modelReasoning ?? UNRECORDED, answerTokens);
  const isAdvertised = ADVERTISED.some((name) => endpoint.supportedParameters.includes(name));
  const isKnown = modelReasoning !== null || isAdvertised;
  return reasoning === null || isKnown ? reasoning : { ...reasoning, isUnrecorded: true };
}

const ADVERTISED = ['reasoning', 'reasoning_effort'] as const;

const UNRECORDED: ModelReasoning = {
  mandatory: false,
  defaultEffort: undefined,
  defaultEnabled: undefined,
  supportedEfforts: undefined,
  supportsMaxTokens: false,
};

/**
 * How the model shall reason. null leaves it to the provider, as for every model that does not reason.
 *
 * - An unsupported effort becomes the nearest supported one, the lower of two equally near ones.
 * - A model that accepts only `max_tokens` gets the effort's share of `answerTokens`, the maximum of the answer's
 * tokens.
 * - A model that does not accept `max_tokens` gets the effort with the nearest share.
 * - Whatever the request leaves open is the model's default.
 */
export function reasoningFor(
  requested: RequestedReasoning,
  model: ModelReasoning | null,
  answerTokens: number,
): Reasoning | null {
  if (model === null) return null;
  const isEnabled = requested.isEnabled ?? enabledByDefault(model);
  if (isEnabled === null) return null;
  if (!isEnabled) return off(model);
  if (requested.maxTokens !== null) return withMaxTokens(requested.maxTokens, model, answerTokens);
  return withEffort(requested.effort ?? effortNamed(model.defaultEffort), model, answerTokens);
}

/** Models that always reason a little do not have the effort `none`. */
function off({ supportedEfforts: names }: ModelReasoning): Reasoning {
  const isListed = names !== undefined && names !== null && !names.includes('none');
  return {
    isEnabled: false,
    effort: isListed ? (supportedEfforts(names).at(-1) ?? null) : null,
    maxTokens: null,
  };
}

/** Each effort's share of the answer's tokens, in percent, to convert between efforts and `max_tokens`. */
const SHARES: Readonly<Record<Effort, number>> = {
  max: 95,
  xhigh: 95,
  high: 80,
  medium: 50,
  low: 20,
  minimal: 10,
};

/** The tokens of an effort's share, for models and protocols without efforts. */
export function maxTokensOfEffort(effort: Effort, answerTokens: number): number {
  return Math.floor((answerTokens * SHARES[effort]) / 100);
}

/** The effort whose share of the answer's tokens is nearest to `maxTokens`, for protocols without `max_tokens`. */
export function effortOfMaxTokens(maxTokens: number, answerTokens: number): Effort {
  const percent = (100 * maxTokens) / answerTokens;
  return nearest(EFFORTS, (effort) => Math.abs(SHARES[effort] - percent)) ?? 'medium';
}

/** The nearest supported effort, the lower of two equally near ones; null if none of the names is an effort. */
export function nearestEffort(wanted: Effort, supported: readonly string[]): Effort | null {
  const position = EFFORTS.indexOf(wanted);
  return nearest(supportedEfforts(supported), (effort) => Math.abs(EFFORTS.indexOf(effort) - position));
}

/** The efforts among these names, highest first. */
export function supportedEfforts(names: readonly string[]): Effort[] {
  return EFFORTS.filter((effort) => names.includes(effort));
}

function effortOf({ reasoning, reasoning_effort }: ReasoningMembers): { effort: unknown; field: string } {
  const nested = reasoning?.effort ?? null;
  return nested === null && reasoning_effort !== undefined && reasoning_effort !== null
    ? { effort: reasoning_effort, field: 'reasoning_effort' }
    : { effort: nested, field: 'reasoning.effort' };
}

function effortNamed(name: unknown): Effort | null {
  return EFFORTS.find((effort) => effort === name) ?? null;
}

/**
 * null = whatever the provider does. By default, mandatory reasoning is not turned off, nor is reasoning with the
 * default effort `none`.
 */
function enabledByDefault({ defaultEnabled, defaultEffort, mandatory }: ModelReasoning): boolean | null {
  if (defaultEnabled === undefined) return null;
  return !defaultEnabled && (mandatory || defaultEffort === 'none') ? null : defaultEnabled;
}

function withMaxTokens(maxTokens: number, model: ModelReasoning, answerTokens: number): Reasoning {
  if (model.supportsMaxTokens) return { isEnabled: true, effort: null, maxTokens };
  return withEffort(effortOfMaxTokens(maxTokens, answerTokens), model, answerTokens);
}

function withEffort(wanted: Effort | null, model: ModelReasoning, answerTokens: number): Reasoning {
  const { supportedEfforts: names, supportsMaxTokens } = model;
  if (wanted === null) return { isEnabled: true, effort: null, maxTokens: null };
  if (supportsMaxTokens && supportedEfforts(names ?? []).length === 0) {
    const maxTokens = Math.max(1, maxTokensOfEffort(wanted, answerTokens));
    return { isEnabled: true, effort: null, maxTokens };
  }
  const isAnySupported = names === undefined || names === null;
  return {
    isEnabled: true,
    effort: isAnySupported ? wanted : nearestEffort(wanted, names),
    maxTokens: null,
  };
}

/** The last effort with the smallest distance, which is the lowest, since efforts are listed from the highest down. */
function nearest(efforts: readonly Effort[], distanceOf: (effort: Effort) => number): Effort | null {
  return efforts.reduce<Effort | null>(
    (best, effort) => (best === null || distanceOf(effort) <= distanceOf(best) ? effort : best),
    null,
  );
}
