/**
 * What a server of OpenAI's format takes of a chat, where only its refusals tell: own servers render chats by the template of
 * their model, and each template takes other conversations. Sources:
 * `docs/providers/README.md#conversations-that-are-learned-from`.
 */
import { type ChatContract, LENIENT_CHAT } from '../../../catalog/chat-contract.js';
import { withQuirk } from '../../../catalog/quirks.js';
import type { AdapterName } from '../../../catalog/types.js';
import type { ChatMessage } from '../../../formats/chat/types.js';
import { elements, isObject, members } from '../../../formats/json.js';
import type { UpstreamCall } from '../../../inference/ports/adapter.js';
import type { CallFeature, FeatureWords } from '../../../inference/ports/refusals.js';
import { fitCallIds } from '../../fit/calls/call-ids.js';
import { pairCalls } from '../../fit/calls/pairing.js';
import { fitArguments } from '../../fit/calls/spoken-calls.js';
import { fitAnswerFormat } from '../../fit/chat/answer-format.js';
import { fitToolNames } from '../../fit/chat/tool-names.js';
import { fitTools } from '../../fit/chat/tools.js';
import { fitTurns } from '../../fit/chat/turns.js';
import type { ChatCall, Step } from '../../fit/step.js';

/** What a refusal teaches. */
interface Lesson {
  readonly words: RegExp;
  readonly contract: Partial<ChatContract>;
  /** Whether the chat has what the host refuses. */
  readonly isUsed: (call: ChatCall, contract: ChatContract) => boolean;
}

/** Chats that the step would change have it. */
const changedBy =
  (step: Step): Lesson['isUsed'] =>
  (call, contract) =>
    step(call, contract) !== call;

const inTurns = changedBy(fitTurns);

/** One system message at the start, then user and assistant in turn. */
const IN_TURN = { system: 'one', alternates: true, userFirst: true } as const;

const LESSONS: Readonly<Record<string, Lesson>> = {
  no_system: {
    words: /system role (?:is )?not supported|only user and assistant roles are supported/i,
    contract: { ...IN_TURN, system: 'none' },
    isUsed: inTurns,
  },
  turns: {
    words: /conversation roles must alternate[^"\\]{0,100}/i,
    contract: { ...IN_TURN, assistantAfterResults: true },
    isUsed: inTurns,
  },
  system_first: {
    words:
      /system message must be at the beginning|unexpected role 'system' after role|only user, assistant and tool roles are supported/i,
    contract: { system: 'one' },
    isUsed: inTurns,
  },
  user_first: {
    words: /no user query found in messages|conversations? must start with a user/i,
    contract: { userSpeaks: true, userFirst: true },
    isUsed: inTurns,
  },
  after_results: {
    words: /unexpected role 'user' after role 'tool'/i,
    contract: { assistantAfterResults: true },
    isUsed: inTurns,
  },
  no_prefill: {
    words:
      /cannot have 2 or more assistant messages at the end|assistant response prefill is incompatible|expected last role user or tool/i,
    contract: { prefill: 'refused' },
    isUsed: inTurns,
  },
  paired_calls: {
    words:
      /must be followed by tool messages responding to|must be a response to a prece{1,2}ding message with|insufficient tool messages following|`tool_use` ids were found without `tool_result`|unexpected `tool_use_id` found in `tool_result`|not the same number of function calls and responses/i,
    contract: { pairedCalls: true },
    isUsed: changedBy(pairCalls),
  },
  tool_names: {
    words:
      /name'?: string (?:does not|should) match pattern[^"]{0,80}\^\[a-z[^"]{0,40}|function name (?:is invalid|must be a-z)[^"]{0,100}/i,
    contract: { toolNames: 'plain', toolNameStart: 'letter', maxToolName: 64 },
    isUsed: (call, contract) => fitToolNames(call, contract).names.size > 0,
  },
  call_ids: {
    words:
      /tool_calls?\S{0,40}id'?: string too long[^"]{0,100}|tool_use\.id: string should match pattern[^"]{0,60}/i,
    contract: { callIds: 'plain', maxCallId: 40 },
    isUsed: changedBy(fitCallIds),
  },
  arguments: {
    words:
      /failed to parse tool call arguments as json|function\.arguments"? parameter of the code model must be in json format|can only get item pairs from a mapping|(?:expecting [^:]{1,60}|unterminated string starting at|extra data): line \d{1,9} column \d{1,9} \(char \d{1,9}\)/i,
    contract: { parsedArguments: true },
    isUsed: changedBy(fitArguments),
  },
  texts: {
    words: /cannot unmarshal array into go struct field [\w.]{0,100}content of type string/i,
    contract: { parts: [] },
    isUsed: ({ body }) => body.messages.some(({ content }) => Array.isArray(content)),
  },
  media_urls: {
    words:
      /unsupported image url|'url' field must be a base64 encoded image|invalid image input|remote image urls are not supported/i,
    contract: { mediaUrls: false },
    isUsed: ({ body }) => body.messages.some(hasAddress),
  },
  strict_tools: {
    words: /tools with strict=true are not supported/i,
    contract: { strictTools: false },
    isUsed: changedBy(fitTools),
  },
  alike_tools: {
    words: /mixed values for 'strict'|all tools must have the same value for the 'strict' parameter/i,
    contract: { alikeTools: true },
    isUsed: changedBy(fitTools),
  },
  tool_choice: {
    words: /invalid tool_choice type: 'object'/i,
    contract: { toolChoices: ['none', 'auto', 'required'] },
    isUsed: ({ body }) => isObject(body.tool_choice),
  },
  json_object: {
    words: /'response_format\.type' must be 'json_schema'/i,
    contract: { jsonFormat: false },
    isUsed: changedBy(fitAnswerFormat),
  },
  json_schema: {
    words:
      /does not support response format `json_schema`|response_format' of type 'json_schema' is not supported|this response_format type is unavailable/i,
    contract: { schemaFormat: false },
    isUsed: ({ body }) => members(body.response_format).type === 'json_schema',
  },
};

function hasAddress({ content }: ChatMessage): boolean {
  return elements(content).some((part) => /^https?:/i.test(String(members(members(part).image_url).url)));
}

const KIND = 'contract';

/** Adapters whose hosts have a contract of chats that quirks mend. */
const ADAPTERS: readonly AdapterName[] = ['openai', 'azure'];

export const LEARNED_CONTRACT: CallFeature = {
  kind: KIND,
  adaptation: 'changed',
  isToldByCall: true,
  namesIn: () => [],
  without: (call, name) => {
    const lesson = LESSONS[name.slice(KIND.length + 1)];
    return lesson !== undefined && call.format === 'chat' && ADAPTERS.includes(call.provider.adapter)
      ? taught(call, lesson)
      : call;
  },
};

export const CONTRACT_WORDS: FeatureWords = {
  kind: KIND,
  namedIn(message) {
    const found = lessonIn(message);
    return found && { names: [`${KIND}:${found.name}`], phrase: found.phrase };
  },
};

/** What of the message is about the conversation; undefined where nothing is known to be. */
export function contractPhraseIn(message: string): string | undefined {
  return lessonIn(message)?.phrase;
}

function lessonIn(message: string): { readonly name: string; readonly phrase: string } | undefined {
  for (const [name, { words }] of Object.entries(LESSONS)) {
    const [phrase] = words.exec(message) ?? [];
    if (phrase !== undefined) return { name, phrase };
  }
  return undefined;
}

/** The call to a host that is as strict as the lesson says; the same call where its chat has nothing of it. */
function taught(call: UpstreamCall<unknown, 'chat'>, { contract, isUsed }: Lesson): UpstreamCall {
  const { onAdapted, ...quiet } = call;
  if (!isUsed(quiet, { ...LENIENT_CHAT, ...contract })) return call;
  const known = call.endpoint.quirks.contract ?? {};
  const isKnown = Object.entries(contract).every(
    ([name, value]) => known[name as keyof ChatContract] === value,
  );
  return isKnown ? call : { ...call, endpoint: withQuirk(call.endpoint, 'contract', contract) };
}
