/** Decides `thinking` and `effort` by the model's generation. */
import type { JsonObject } from '../../../formats/chat/types.js';
import { type Effort, maxTokensOfEffort, type Reasoning } from '../../../inference/reasoning/reasoning.js';
import type { ModelTraits } from '../host/model.js';
import type { Turn } from './conversation.js';

const MIN_BUDGET_TOKENS = 1024;

export interface Thinking {
  /** Whether the model is expected to think. */
  readonly isOn: boolean;
  /** The member `thinking`; undefined leaves it to the provider. */
  readonly config?: JsonObject;
  /** The member `effort` of `output_config`. */
  readonly effort?: string;
}

export interface ThinkingRequest {
  readonly traits: ModelTraits;
  readonly turns: readonly Turn[];
  /** As sent; includes the thinking tokens. */
  readonly maxTokens: number;
  /** Whether the request forces a tool call, which no model combines with thinking. */
  readonly isToolForced: boolean;
}

/** `reasoning` is null as in `UpstreamCall`: the request does not say anything about it. */
export function thinkingOf(reasoning: Reasoning | null, request: ThinkingRequest): Thinking {
  const { traits, isToolForced } = request;
  if (isToolForced && traits.canStopThinking) return off(traits);
  if (reasoning === null) return { isOn: traits.thinksByDefault };
  if (!reasoning.isEnabled || traits.thinking === 'none') return off(traits);
  const isBudget = traits.thinking === 'budget' || (traits.takesBudget && reasoning.maxTokens !== null);
  return isBudget ? withBudget(reasoning, request) : adaptive(reasoning, traits);
}

/** Models that always think get the lowest effort. */
function off({ thinksByDefault, canStopThinking }: ModelTraits): Thinking {
  if (!thinksByDefault) return { isOn: false };
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

/** A model can't think with too few tokens, nor in a turn with tools that began without a thought. */
function withBudget(reasoning: Reasoning, { turns, maxTokens }: ThinkingRequest): Thinking {
  const wanted = reasoning.maxTokens ?? maxTokensOfEffort(reasoning.effort ?? 'medium', maxTokens);
  const budget_tokens = Math.min(Math.max(wanted, MIN_BUDGET_TOKENS), maxTokens - 1);
  if (budget_tokens < MIN_BUDGET_TOKENS || isBegunWithoutThoughts(turns)) return { isOn: false };
  return { isOn: true, config: { type: 'enabled', budget_tokens } };
}

/** Everything after the user's message, including tool calls and results, is one turn. It must begin with a thought. */
function isBegunWithoutThoughts(turns: readonly Turn[]): boolean {
  const isResults = ({ content }: Turn) => content.some(({ type }) => type === 'tool_result');
  const lastUserTurn = turns.findLastIndex((turn) => turn.role === 'user' && !isResults(turn));
  const begun = turns.slice(lastUserTurn + 1).find(({ role }) => role === 'assistant');
  return begun !== undefined && begun.content[0]?.type.endsWith('thinking') !== true;
}
