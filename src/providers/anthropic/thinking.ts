/** How a model is to think, in the words of its generation. */
import type { JsonObject } from '../../formats/chat/types.js';
import { boundOfEffort, type Effort, type Reasoning } from '../../inference/reasoning/reasoning.js';
import type { Turn } from './conversation.js';
import type { ModelTraits } from './model.js';

/** The least that thinking can be given. */
const MIN_BUDGET_TOKENS = 1024;

/** What a request comes to. */
export interface Thinking {
  /** Whether the model thinks, as far as this side knows. */
  readonly isOn: boolean;
  /** The member `thinking`; undefined leaves it to the provider. */
  readonly config?: JsonObject;
  /** The member `effort` of `output_config`. */
  readonly effort?: string;
}

/** What the decision needs to know of the request. */
export interface ThinkingRequest {
  readonly traits: ModelTraits;
  readonly turns: readonly Turn[];
  /** As sent: thinking takes its part of it. */
  readonly maxTokens: number;
  /** Whether a tool has to be called, which goes with thinking in no model. */
  readonly isToolForced: boolean;
}

/** The thinking for a request; `null` as in `UpstreamCall`. */
export function thinkingOf(reasoning: Reasoning | null, request: ThinkingRequest): Thinking {
  const { traits, isToolForced } = request;
  if (isToolForced && traits.canStopThinking) return off(traits);
  if (reasoning === null) return { isOn: traits.thinksUnasked };
  if (!reasoning.isEnabled || traits.thinking === 'none') return off(traits);
  const isBudget = traits.thinking === 'budget' || (traits.takesBudget && reasoning.maxTokens !== null);
  return isBudget ? withBudget(reasoning, request) : adaptive(reasoning, traits);
}

/** A model that always thinks is asked to think little. */
function off({ thinksUnasked, canStopThinking }: ModelTraits): Thinking {
  if (!thinksUnasked) return { isOn: false };
  return canStopThinking ? { isOn: false, config: { type: 'disabled' } } : { isOn: true, effort: 'low' };
}

function adaptive({ effort }: Reasoning, { hidesThoughts, hasExtraHigh }: ModelTraits): Thinking {
  return {
    isOn: true,
    config: { type: 'adaptive', ...(hidesThoughts && { display: 'summarized' }) },
    ...(effort !== null && { effort: effortWord(effort, hasExtraHigh) }),
  };
}

function effortWord(effort: Effort, hasExtraHigh: boolean): string {
  if (effort === 'minimal') return 'low';
  return effort === 'xhigh' && !hasExtraHigh ? 'high' : effort;
}

/** Where the tokens don't suffice, or a turn with tools was begun without thoughts, there can be no thinking. */
function withBudget(reasoning: Reasoning, { turns, maxTokens }: ThinkingRequest): Thinking {
  const wanted = reasoning.maxTokens ?? boundOfEffort(reasoning.effort ?? 'medium', maxTokens);
  const budget_tokens = Math.min(Math.max(wanted, MIN_BUDGET_TOKENS), maxTokens - 1);
  if (budget_tokens < MIN_BUDGET_TOKENS || isBegunWithoutThoughts(turns)) return { isOn: false };
  return { isOn: true, config: { type: 'enabled', budget_tokens } };
}

/** The whole back and forth with tools counts as one turn, which begins with a thought or has none. */
function isBegunWithoutThoughts(turns: readonly Turn[]): boolean {
  const isResults = ({ content }: Turn) => content.some(({ type }) => type === 'tool_result');
  const asked = turns.findLastIndex((turn) => turn.role === 'user' && !isResults(turn));
  const begun = turns.slice(asked + 1).find(({ role }) => role === 'assistant');
  return begun !== undefined && begun.content[0]?.type.endsWith('thinking') !== true;
}
