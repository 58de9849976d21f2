/** Bodies of Responses requests that are made of chats. */
import type { ChatBody, JsonObject } from '../../../formats/chat/types.js';
import { elements, isObject, members, textOf } from '../../../formats/json.js';
import { sessionKeyOf } from '../../../formats/session/hint.js';
import type { Adaptation, UpstreamCall } from '../../../inference/ports/adapter.js';
import { reportAdapted } from '../../common/adapted.js';
import { fitResponses } from '../../fit-responses/fit-responses.js';
import type { Outgoing } from '../../http/codec.js';
import type { ResponsesTarget } from '../responses/target.js';
import { type RulesOverResponses, rulesOverResponses } from './contract.js';
import { inputItems } from './conversation.js';
import { CHAT_NAMES, LOGPROBS, RESPONSES_MAPPING, SAME } from './member-mapping.js';
import { asksForEncrypted, ENCRYPTED, reasoningMember } from './reasoning.js';
import { searchingOf } from './search-tool.js';
import { isLeftOut } from './sent-back.js';
import { toolMembers } from './tools.js';

type Call = UpstreamCall<unknown, 'chat'>;

/** Makes a request to the target from a chat that fits. Nothing is stored: hosts store what does not say so. */
export function responsesRequest(target: ResponsesTarget, call: Call, isStreamed: boolean): Outgoing {
  const rules = rulesOverResponses(call.endpoint, call.provider);
  const made = responsesBody(call, rules);
  reportAdapted(call, RESPONSES_MAPPING, made);
  reportLost(call);
  return {
    url: target.url,
    headers: target.headers,
    body: { model: target.model, ...fitted(made, call, rules), ...(isStreamed && streamMembers(rules)) },
  };
}

/** What is left out or changed of the request is told by the chat's names. */
function fitted(
  body: JsonObject,
  { endpoint, provider, onAdapted }: Call,
  { responses }: RulesOverResponses,
): JsonObject {
  const told = onAdapted && ((name: string, how: Adaptation) => onAdapted(nameInChat(name), how));
  return fitResponses({ body, endpoint, provider, ...(told && { onAdapted: told }) }, responses).call.body;
}

function nameInChat(name: string): string {
  return CHAT_NAMES.get(name) ?? name.replace(/^input\b.*/, 'messages');
}

/** OpenAI pads events against listeners between it and the gateway, which TLS keeps out. */
function streamMembers({ quirks }: RulesOverResponses): JsonObject {
  const { include_obfuscation } = members(quirks.streamOptions);
  return { stream: true, ...(include_obfuscation === false && { stream_options: { include_obfuscation } }) };
}

/** The body without `model` and `stream`. */
function responsesBody(call: Call, rules: RulesOverResponses): JsonObject {
  const { endpoint, provider } = call;
  const { quirks, responses } = rules;
  const body = takenFrom(call.body, quirks);
  const { upstreamModelId } = endpoint;
  const searching = searchingOf(body, { upstreamModelId, isAzure: provider.adapter === 'azure' });
  const reasoning = reasoningMember(call, rules);
  const text = formOf(body);
  const include = includeOf(call, body);
  const prompt_cache_key = sessionKeyOf(call);
  const same = SAME.filter((name) => body[name] !== undefined && body[name] !== null);
  return {
    ...Object.fromEntries(same.map((name) => [name, body[name]])),
    input: inputItems(body.messages, {
      hasDevelopers: quirks.developerRole === true,
      takesReadable: responses.reasoningInput === 'any',
    }),
    store: false,
    ...(prompt_cache_key !== undefined && { prompt_cache_key }),
    ...limitOf(body, rules),
    ...toolMembers(body, searching.tools),
    ...toolCallsOf(body, searching.maxToolCalls),
    ...(Object.keys(reasoning).length > 0 && { reasoning }),
    ...(Object.keys(text).length > 0 && { text }),
    ...(include.length > 0 && { include }),
  };
}

/** The body without the members that the catalogue says the host refuses. */
function takenFrom(body: ChatBody, { members: names = {} }: RulesOverResponses['quirks']): ChatBody {
  const { messages, ...rest } = body;
  const taken = Object.entries(rest).filter(([name]) => names[name] !== null);
  return taken.length === Object.keys(rest).length ? body : { messages, ...Object.fromEntries(taken) };
}

/** OpenAI refuses less: the API reference of `max_output_tokens` (2026-11-26). */
const MIN_OUTPUT_TOKENS = 16;

function limitOf(
  { max_completion_tokens, max_tokens }: ChatBody,
  { isOpenAi }: RulesOverResponses,
): JsonObject {
  const limit = max_completion_tokens ?? max_tokens;
  if (limit === undefined || limit === null) return {};
  return { max_output_tokens: isOpenAi ? Math.max(limit, MIN_OUTPUT_TOKENS) : limit };
}

function toolCallsOf({ max_tool_calls }: ChatBody, most: number | undefined): JsonObject {
  if (most === undefined) return {};
  return { max_tool_calls: typeof max_tool_calls === 'number' ? Math.min(max_tool_calls, most) : most };
}

/** The form of the answer, and how much it says. */
function formOf({ response_format, verbosity }: ChatBody): JsonObject {
  const format = formatOf(members(response_format));
  return { ...(format !== undefined && { format }), ...(verbosity != null && { verbosity }) };
}

function formatOf({ type, json_schema, ...rest }: JsonObject): JsonObject | undefined {
  if (type === undefined) return undefined;
  return isObject(json_schema) ? { type, ...json_schema } : { type, ...rest };
}

function includeOf(call: Call, { include, logprobs }: ChatBody): readonly string[] {
  const asked = [
    ...elements(include)
      .flatMap((word) => textOf(word) ?? [])
      .filter((word) => word !== ENCRYPTED),
    ...(asksForEncrypted(call) ? [ENCRYPTED] : []),
    ...(logprobs === true ? [LOGPROBS] : []),
  ];
  return [...new Set(asked)];
}

/** What no host of this API takes back of an answer beside its words, thoughts and calls. Answers are text alone. */
const FORGOTTEN = ['images', 'audio'];

function reportLost({ body, onAdapted }: Call): void {
  if (onAdapted === undefined) return;
  const answers = body.messages.filter(({ role }) => role === 'assistant');
  for (const name of FORGOTTEN) {
    if (answers.some((message) => message[name] != null)) onAdapted(`messages.${name}`, 'left_out');
  }
  if (!elements(body.modalities).every((one) => one === 'text')) onAdapted('modalities', 'left_out');
  if (answers.some(isLeftOut)) onAdapted('messages.provider_blocks', 'left_out');
}
