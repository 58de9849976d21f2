/** Bodies of Messages requests, for Anthropic and Vertex AI. */
import { runInSlices } from '../../../base/time-slices.js';
import type { Endpoint } from '../../../catalog/types.js';
import type { ChatBody, JsonObject } from '../../../formats/chat/types.js';
import { betasIn } from '../../../formats/messages/headers.js';
import type { UpstreamCall } from '../../../inference/ports/adapter.js';
import type { Reasoning } from '../../../inference/reasoning/reasoning.js';
import { UNBOUNDED_ANSWER_TOKENS } from '../../../routing/estimate/max-usage.js';
import { reportAdapted } from '../../common/adapted.js';
import { type NestedJson, readArguments } from '../../common/nested-json.js';
import type { Outgoing } from '../../http/codec.js';
import { fitMade } from '../host/fit.js';
import { messagesHeaders, targetHeaders } from '../host/headers.js';
import { type HostFacts, messagesContract } from '../host/messages-contract.js';
import { type ModelTraits, traitsOf } from '../host/model.js';
import type { MessagesTarget } from '../host/target.js';
import { cacheControlOf } from './block.js';
import { readConversation } from './conversation.js';
import { betasOf, hostMembers, hostOutputConfig, hostThinking } from './host-members.js';
import { MESSAGES_MAPPING } from './member-mapping.js';
import { reportEdited } from './provider-blocks.js';
import { responseFormatOf } from './response-format.js';
import { type Thinking, thinkingOf } from './thinking.js';
import { isForced, toolMembers } from './tools.js';

/** Makes a request to the target from a chat. Throws as `messagesBody` does. */
export async function messagesRequest(
  target: MessagesTarget,
  host: HostFacts,
  call: UpstreamCall<unknown, 'chat'>,
  isStreamed: boolean,
): Promise<Outgoing> {
  const { body, reasoning, endpoint, apiHeaders } = call;
  const made = messagesBody(body, reasoning, endpoint, await runInSlices(readArguments(body)));
  reportAdapted(call, MESSAGES_MAPPING, made);
  reportEdited(call);
  const betas = withFastMode(betasOf(body, betasIn(apiHeaders)), made);
  const sent = fitMade(made, call, messagesContract(endpoint, host), betas);
  return {
    url: target.url,
    headers: { ...messagesHeaders(betas), ...targetHeaders(target, call) },
    body: { model: target.model, ...sent, ...(isStreamed && { stream: true }) },
  };
}

/** The API refuses `speed` without its beta feature, which clients of chats don't know. */
function withFastMode(betas: readonly string[], { speed }: JsonObject): readonly string[] {
  const isNamed = speed !== 'fast' || betas.some((beta) => beta.startsWith('fast-mode-'));
  return isNamed ? betas : [...betas, 'fast-mode-2026-02-01'];
}

/**
 * The body of a Messages request without `model`, `stream` and `anthropic_version`, which depend on the provider. The
 * API's own members are passed on; unknown ones are left out, since it refuses them. Throws `UpstreamFailure`
 * `invalid_request` for content that it does not take.
 */
export function messagesBody(
  body: ChatBody,
  reasoning: Reasoning | null,
  { upstreamModelId, maxCompletionTokens }: Pick<Endpoint, 'upstreamModelId' | 'maxCompletionTokens'>,
  nested: NestedJson,
): JsonObject {
  const traits = traitsOf(upstreamModelId);
  const { system, turns } = readConversation(body.messages, nested);
  const tools = toolMembers(body, turns, traits);
  const maxTokens = maxTokensOf(body, maxCompletionTokens);
  const isToolForced = isForced(tools);
  const thinking = hostThinking(body) ?? thinkingOf(reasoning, { traits, turns, maxTokens, isToolForced });
  const { format, instruction } = responseFormatOf(body, traits);
  const prompt = instruction === undefined ? system : [...system, instruction];
  const effort = effortOf(thinking, body, traits);
  const outputConfig = {
    ...(effort !== undefined && { effort }),
    ...(format !== undefined && { format }),
    ...hostOutputConfig(body),
  };
  return {
    max_tokens: maxTokens,
    messages: turns,
    ...(prompt.length > 0 && { system: prompt }),
    ...tools,
    ...(thinking.config !== undefined && { thinking: thinking.config }),
    ...(Object.keys(outputConfig).length > 0 && { output_config: outputConfig }),
    ...samplingOf(body, traits, thinking.isOn),
    ...stopOf(body),
    ...(typeof body.user === 'string' && { metadata: { user_id: body.user } }),
    ...tierOf(body),
    ...cacheControlOf(body),
    ...hostMembers(body),
  };
}

/**
 * The effort controls how much the model thinks and writes. The request's effort takes precedence over its `verbosity`.
 */
export function effortOf(
  thinking: Pick<Thinking, 'effort'>,
  { verbosity }: ChatBody,
  { takesEffort }: ModelTraits,
): string | undefined {
  return thinking.effort ?? (takesEffort ? VERBOSITIES.find((word) => word === verbosity) : undefined);
}

const VERBOSITIES = ['low', 'medium', 'high', 'max'] as const;

/** `max_tokens` is required, even if neither the request nor the catalogue has a value. */
function maxTokensOf({ max_tokens, max_completion_tokens }: ChatBody, modelMax: number | null): number {
  const wanted = max_completion_tokens ?? max_tokens ?? modelMax ?? UNBOUNDED_ANSWER_TOKENS;
  return modelMax === null ? wanted : Math.min(wanted, modelMax);
}

/** The lowest top_p that the API accepts while thinking. It then accepts neither temperature nor top_k. */
const MIN_TOP_P_OF_THINKING = 0.95;

function samplingOf(
  { temperature, top_p, top_k }: ChatBody,
  { takesSampling, takesBothSamplings }: ModelTraits,
  isThinking: boolean,
): JsonObject {
  if (!takesSampling) return {};
  if (isThinking) return typeof top_p === 'number' && top_p >= MIN_TOP_P_OF_THINKING ? { top_p } : {};
  const hasTemperature = typeof temperature === 'number';
  return {
    ...(hasTemperature && { temperature: Math.min(Math.max(temperature, 0), 1) }),
    ...(typeof top_p === 'number' && (takesBothSamplings || !hasTemperature) && { top_p }),
    ...(typeof top_k === 'number' && { top_k }),
  };
}

/** Leaves out stop sequences of only white space, which are refused. */
function stopOf({ stop }: ChatBody): JsonObject {
  const sequences = typeof stop === 'string' ? [stop] : (stop ?? []);
  const stop_sequences = sequences.filter((sequence) => sequence.trim() !== '');
  return stop_sequences.length === 0 ? {} : { stop_sequences };
}

const TIERS: ReadonlyMap<unknown, string> = new Map([
  ['auto', 'auto'],
  ['priority', 'auto'],
  ['default', 'standard_only'],
  ['standard_only', 'standard_only'],
]);

function tierOf(body: ChatBody): JsonObject {
  const service_tier = TIERS.get(body.service_tier);
  return service_tier === undefined ? {} : { service_tier };
}
