/** Requests of the operation Converse. */
import type { ChatBody, JsonObject } from '../../../formats/chat/types.js';
import { isObject, textOf } from '../../../formats/json.js';
import { betasIn } from '../../../formats/messages/headers.js';
import type { CallCommons, ChatForm } from '../../../inference/ports/adapter.js';
import type { NestedJson } from '../../common/nested-json.js';
import { type Block, cachePoints } from './block.js';
import { type Conversation, readConversation, withoutOpenThoughts } from './conversation.js';
import { hostFields } from './host-fields.js';
import { inferenceOf } from './inference-config.js';
import { type BedrockModel, modelOf } from './model.js';
import { responseFormatOf } from './response-format.js';
import { toolUseOf } from './tools.js';

/** What the body of a request is made from. */
export type ConverseInput = ChatForm & Pick<CallCommons, 'endpoint' | 'apiHeaders'>;

/**
 * The body of the request, streamed or not. Some of Converse's own members are passed on as they are; members that it
 * does not know are left out. Throws `UpstreamFailure` `invalid_request` for content that it does not take.
 */
export function converseBody(
  { body, reasoning, endpoint, apiHeaders }: ConverseInput,
  nested: NestedJson,
): JsonObject {
  const model = modelOf(endpoint);
  const { system, turns } = cached(readConversation(body.messages, model, nested), body, model);
  const tools = toolUseOf(body, turns, model);
  const inference = inferenceOf(body, reasoning, { model, turns, isToolForced: tools.isForced });
  const { textFormat, instruction } = responseFormatOf(body, model);
  const texts = [...system, ...[instruction, tools.instruction].filter((block) => block !== undefined)];
  const prompt = model.takesSystemTexts ? texts : joinedTexts(texts);
  const own = isObject(body.additionalModelRequestFields) ? body.additionalModelRequestFields : {};
  const outputConfig = {
    ...(textFormat !== undefined && { textFormat }),
    ...(inference.effort !== undefined && { effort: inference.effort }),
  };
  return {
    messages: inference.isThinking ? turns : withoutOpenThoughts(turns),
    ...withMembers('system', prompt),
    ...withMembers('inferenceConfig', inference.config),
    ...(tools.config !== undefined && { toolConfig: tools.config }),
    ...withMembers('outputConfig', outputConfig),
    ...withMembers('additionalModelRequestFields', {
      ...inference.modelFields,
      ...tools.modelFields,
      ...hostFields(body, model, betasIn(apiHeaders)),
      ...own,
    }),
    ...passed(body),
  };
}

/** All texts as one, with the last cache point after it. */
function joinedTexts(blocks: readonly Block[]): readonly Block[] {
  const texts = blocks.flatMap(({ text }) => textOf(text) ?? []);
  const points = blocks.filter(({ cachePoint }) => cachePoint !== undefined).slice(-1);
  return texts.length === 0 ? blocks : [{ text: texts.join('\n\n') }, ...points];
}

/** Turns the request's own `cache_control` into a cache point after everything that the user said. */
function cached(
  conversation: Conversation,
  body: ChatBody,
  { takesCachePoints }: BedrockModel,
): Conversation {
  const last = conversation.turns.at(-1);
  const points = takesCachePoints ? cachePoints(body) : [];
  if (last?.role !== 'user' || points.length === 0 || last.content.at(-1)?.cachePoint !== undefined) {
    return conversation;
  }
  const cachedTurn = { ...last, content: [...last.content, ...points] };
  return { ...conversation, turns: [...conversation.turns.slice(0, -1), cachedTurn] };
}

/** Converse's own members, which are passed on as they are. */
const PASSED = [
  'additionalModelResponseFieldPaths',
  'guardrailConfig',
  'performanceConfig',
  'requestMetadata',
  'serviceTier',
] as const;

function passed(body: ChatBody): JsonObject {
  return {
    ...tierOf(body),
    ...Object.fromEntries(PASSED.flatMap((name) => (body[name] == null ? [] : [[name, body[name]]]))),
  };
}

/** Converse calls the standard tier `default`, which it also uses if none is given. */
function tierOf({ service_tier }: ChatBody): JsonObject {
  return TIERS.has(service_tier) ? { serviceTier: { type: service_tier } } : {};
}

const TIERS: ReadonlySet<unknown> = new Set(['default', 'flex', 'priority', 'reserved']);

function withMembers(name: string, value: object): JsonObject {
  return Object.keys(value).length === 0 ? {} : { [name]: value };
}
