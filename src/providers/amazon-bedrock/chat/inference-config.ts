/** Translates length, sampling and reasoning to the terms of the model's family. */

import type { ChatBody, JsonObject } from '../../../formats/chat/types.js';
import type { Effort, Reasoning } from '../../../inference/reasoning/reasoning.js';
import { UNBOUNDED_ANSWER_TOKENS } from '../../../routing/estimate/max-usage.js';
import { hostThinking } from '../../anthropic/chat/host-members.js';
import { effortOf } from '../../anthropic/chat/request.js';
import { thinkingOf } from '../../anthropic/chat/thinking.js';
import type { Turn } from './conversation.js';
import type { BedrockModel } from './model.js';

export interface InferenceMembers {
  /** The member `inferenceConfig`. */
  readonly config: JsonObject;
  /** Members of `additionalModelRequestFields`: the family's own names. */
  readonly modelFields: JsonObject;
  /** The member `effort` of `outputConfig`. */
  readonly effort?: string;
  /** Whether the model is expected to think. */
  readonly isThinking: boolean;
}

export interface InferenceContext {
  readonly model: BedrockModel;
  readonly turns: readonly Turn[];
  /** Whether the model must call a tool. */
  readonly isToolForced: boolean;
}

/** `reasoning` is null as in `UpstreamCall`: the request does not say anything about it. */
export function inferenceOf(
  body: ChatBody,
  reasoning: Reasoning | null,
  context: InferenceContext,
): InferenceMembers {
  const { family } = context.model;
  if (family === 'claude') return ofClaude(body, reasoning, context);
  if (family === 'nova') return ofNova(body, reasoning);
  const effort = family === 'gpt-oss' && reasoning?.isEnabled === true ? reasoning.effort : null;
  return {
    config: inferenceConfig(body, samplingOf(body)),
    modelFields: {
      ...(context.model.takesTopK && numbers({ top_k: body.top_k })),
      ...(effort !== null && { reasoning_effort: threeEfforts(effort) }),
    },
    isThinking: reasoning?.isEnabled === true,
  };
}

function ofClaude(
  body: ChatBody,
  reasoning: Reasoning | null,
  { model, turns, isToolForced }: InferenceContext,
): InferenceMembers {
  const { traits, maxCompletionTokens } = model;
  const maxTokens = maxTokensOf(body) ?? maxCompletionTokens ?? UNBOUNDED_ANSWER_TOKENS;
  const thinking =
    hostThinking(body) ??
    thinkingOf(reasoning, { traits, turns: turns.map(asAnthropic), maxTokens, isToolForced });
  const effort = effortOf(thinking, body, traits);
  const sampling = traits.takesSampling ? claudeSampling(body, thinking.isOn, traits.takesBothSamplings) : {};
  return {
    config: inferenceConfig(body, sampling),
    modelFields: {
      ...(traits.takesSampling && !thinking.isOn && numbers({ top_k: body.top_k })),
      ...(thinking.config !== undefined && { thinking: thinking.config }),
    },
    ...(effort !== undefined && { effort }),
    isThinking: thinking.isOn,
  };
}

/** The turn with Anthropic's block types, as `thinkingOf` expects. */
function asAnthropic({ role, content }: Turn) {
  return {
    role,
    content: content.map(({ toolResult, reasoningContent }) => ({
      type: toolResult !== undefined ? 'tool_result' : reasoningContent !== undefined ? 'thinking' : 'other',
    })),
  };
}

/** The lowest `topP` that Claude accepts while thinking. It then accepts no temperature. */
const MIN_TOP_P_OF_THINKING = 0.95;

function claudeSampling(
  { temperature, top_p }: ChatBody,
  isThinking: boolean,
  takesBoth: boolean,
): JsonObject {
  if (isThinking) return numbers({ topP: (top_p ?? 0) >= MIN_TOP_P_OF_THINKING ? top_p : undefined });
  const hasTemperature = typeof temperature === 'number';
  return numbers({
    temperature: hasTemperature ? Math.min(Math.max(temperature, 0), 1) : undefined,
    topP: takesBoth || !hasTemperature ? top_p : undefined,
  });
}

/**
 * At its highest effort Nova accepts neither sampling nor `maxTokens`, so a requested `maxTokens` lowers the effort.
 */
function ofNova(body: ChatBody, reasoning: Reasoning | null): InferenceMembers {
  const wanted = reasoning?.isEnabled === true ? threeEfforts(reasoning.effort ?? 'medium') : undefined;
  const effort = wanted === 'high' && maxTokensOf(body) !== undefined ? 'medium' : wanted;
  const isFree = effort === 'high';
  const topK = numbers({ topK: isFree ? undefined : novaTopK(body.top_k) });
  const reasoningConfig =
    effort === undefined ? { type: 'disabled' } : { type: 'enabled', maxReasoningEffort: effort };
  return {
    config: inferenceConfig(body, isFree ? {} : samplingOf(body)),
    modelFields: {
      ...(Object.keys(topK).length > 0 && { inferenceConfig: topK }),
      ...(reasoning !== null && { reasoningConfig }),
    },
    isThinking: effort !== undefined,
  };
}

/** Of tokens; 0, which elsewhere means all of them, is left out: https://github.com/aws-samples/bedrock-chat/pull/645. */
const MAX_TOP_K_OF_NOVA = 128;

function novaTopK(topK: unknown): number | undefined {
  return typeof topK === 'number' && topK >= 1 ? Math.min(topK, MAX_TOP_K_OF_NOVA) : undefined;
}

function threeEfforts(effort: Effort): 'low' | 'medium' | 'high' {
  if (effort === 'medium') return 'medium';
  return effort === 'minimal' || effort === 'low' ? 'low' : 'high';
}

function samplingOf({ temperature, top_p }: ChatBody): JsonObject {
  return numbers({ temperature, topP: top_p });
}

/** Leaves out stop sequences of only white space, which are refused. */
function inferenceConfig(body: ChatBody, sampling: JsonObject): JsonObject {
  const given = typeof body.stop === 'string' ? [body.stop] : (body.stop ?? []);
  const stopSequences = given.filter((sequence) => sequence.trim() !== '');
  return {
    ...numbers({ maxTokens: maxTokensOf(body) }),
    ...sampling,
    ...(stopSequences.length > 0 && { stopSequences }),
  };
}

function maxTokensOf({ max_completion_tokens, max_tokens }: ChatBody): number | undefined {
  return max_completion_tokens ?? max_tokens ?? undefined;
}

/** The members that are numbers. null counts as not given. */
function numbers(given: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => typeof value === 'number'));
}
