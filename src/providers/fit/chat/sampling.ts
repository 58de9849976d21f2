/** How many and how varied answers are, and how much is thought about them. */
import type { ChatContract } from '../../../catalog/chat-contract.js';
import { maxAnswerTokens } from '../../../inference/ports/usage.js';
import { type Effort, effortOfMaxTokens, nearestEffort } from '../../../inference/reasoning/reasoning.js';
import { type ChatCall, type Step, withBody } from '../step.js';

/** What the host takes less of than the request asks for is sent as far as it goes: nothing of it is refused. */
export const fitSampling: Step = (call, contract) => {
  const { maxChoices, maxTemperature, minTopP, maxTopK, maxTopLogprobs } = contract;
  const bounds: readonly Bound[] = [
    ['n', null, maxChoices],
    ['temperature', null, maxTemperature],
    ['top_p', minTopP, null],
    ['top_k', null, maxTopK],
    ['top_logprobs', null, maxTopLogprobs],
  ];
  return bounds.reduce(within, withFirstStops(call, contract));
};

/** The first sequences, as many as the host takes; those beyond are told one by one. */
function withFirstStops(call: ChatCall, { maxStops }: ChatContract): ChatCall {
  const { stop } = call.body;
  if (maxStops === null || !Array.isArray(stop) || stop.length <= maxStops) return call;
  for (let at = maxStops; at < stop.length; at += 1) call.onAdapted?.(`stop[${at}]`, 'left_out');
  return withBody(call, { stop: stop.slice(0, maxStops) });
}

type Bound = readonly [member: string, least: number | null, most: number | null];

/** A number beyond what the host takes becomes the nearest that it does. */
function within(call: ChatCall, [member, least, most]: Bound): ChatCall {
  const value = call.body[member];
  if (typeof value !== 'number') return call;
  const taken = Math.min(Math.max(value, least ?? -Infinity), most ?? Infinity);
  if (taken === value) return call;
  call.onAdapted?.(member, 'changed');
  return withBody(call, { [member]: taken });
}

/** An effort that the model does not have becomes the nearest that it has; one of none at all is left out. A model that can't be stopped thinks as little as it can. */
export const fitEffort: Step = (given, contract) => {
  const { efforts, thinksByDefault } = contract;
  const call = withKnownReasoning(given, contract);
  const { reasoning } = call;
  if (efforts === null || reasoning === null) return call;
  const wanted = wantedEffort(call);
  if (efforts.length === 0) {
    if (wanted !== 'none' || thinksByDefault) call.onAdapted?.('reasoning', 'left_out');
    return { ...call, reasoning: null };
  }
  if (wanted === undefined || efforts.includes(wanted)) return call;
  call.onAdapted?.('reasoning', 'changed');
  const effort = nearestEffort(wanted === 'none' ? 'minimal' : wanted, efforts);
  return { ...call, reasoning: { isEnabled: true, effort, maxTokens: null } };
};

/**
 * A host of which nothing is known is told of reasoning in the request's own words. Elsewhere a model that may not reason is
 * not told to stop, but by an effort, which hosts take from those who know it.
 */
function withKnownReasoning(call: ChatCall, { givenReasoning }: ChatContract): ChatCall {
  const { reasoning, body } = call;
  if (reasoning?.isUnrecorded !== true || givenReasoning) return call;
  const { isUnrecorded, ...known } = reasoning;
  const isMoot = !known.isEnabled && body.reasoning_effort !== 'none';
  return { ...call, reasoning: isMoot ? null : known };
}

/** What the host would be told; undefined for nothing. */
function wantedEffort({ reasoning, body, endpoint }: ChatCall): Effort | 'none' | undefined {
  if (reasoning === null) return undefined;
  const { isEnabled, effort, maxTokens } = reasoning;
  if (effort !== null) return effort;
  if (!isEnabled) return 'none';
  return maxTokens === null ? undefined : effortOfMaxTokens(maxTokens, maxAnswerTokens(body, endpoint));
}
