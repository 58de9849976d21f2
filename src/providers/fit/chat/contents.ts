/** What stands in each message: texts or parts, and members. */
import type { ChatContract } from '../../../catalog/chat-contract.js';
import { kindOf, type Role, roleOf, untakenPart } from '../../../formats/chat/part-kind.js';
import type { ChatMessage, ContentPart, JsonObject, ToolCall } from '../../../formats/chat/types.js';
import { elements, isObject, textOf } from '../../../formats/json.js';
import { isResult } from '../calls/pairing.js';
import { type ChatCall, mapped, refused, type Step, withBody } from '../step.js';
import { withTextResults } from './tool-media.js';

/** Stands for the text of a result that has none. */
const NO_OUTPUT = '[no output]';

export const fitContents: Step = (call, contract) => {
  const given = contract.mediaInResults ? call.body.messages : withTextResults(call.body.messages);
  const messages = mapped(given, (message, at) => fitted(message, contract, call, at));
  const isSaying = (message: ChatMessage) => !isSilent(message, contract);
  const left =
    contract.emptyContents === 'any' || messages.every(isSaying) ? messages : messages.filter(isSaying);
  return withBody(call, { messages: left });
};

function fitted(message: ChatMessage, contract: ChatContract, call: ChatCall, at: number): ChatMessage {
  const known = contract.extraMembers ? message : withKnownMembers(message, contract, call);
  const spoken = contract.refusals ? known : withSpokenRefusal(known, call);
  const named = contract.names === 'any' ? spoken : fittedName(spoken, contract, call);
  const content = contentFor(named, contract, call, at);
  return content === undefined || content === named.content ? named : { ...named, content };
}

/** What the assistant refused to do is what it said. */
function withSpokenRefusal(message: ChatMessage, call: ChatCall): ChatMessage {
  const { refusal, audio, ...rest } = message;
  if (refusal === undefined && audio === undefined) return message;
  if (audio) call.onAdapted?.('messages.audio', 'left_out');
  const text = textOf(refusal) ?? '';
  const { content } = rest;
  if (text === '') return rest;
  if (Array.isArray(content)) return { ...rest, content: [...content, { type: 'text', text }] };
  return { ...rest, content: content ? `${content}\n\n${text}` : text };
}

function contentFor(
  message: ChatMessage,
  contract: ChatContract,
  call: ChatCall,
  at: number,
): ChatMessage['content'] {
  const role = roleOf(message);
  const { content } = message;
  const given = Array.isArray(content)
    ? listFor(content, role, contract, call, `messages[${at}].content`)
    : content;
  const isNothing = given === undefined || given === null || given.length === 0;
  if (!isNothing) return given;
  if (isResult(message)) return emptyResult(given, contract);
  const isCalling = elements(message.tool_calls).length > 0;
  return isCalling && contract.contentBesideCalls ? '' : given;
}

function emptyResult(given: ChatMessage['content'], { emptyContents }: ChatContract): ChatMessage['content'] {
  if (emptyContents === 'any') return given;
  return emptyContents === 'text' ? '' : NO_OUTPUT;
}

/** The parts, without empty texts where the host refuses those, or as one text where it takes no parts. */
function listFor(
  content: readonly ContentPart[],
  role: Role,
  contract: ChatContract,
  call: ChatCall,
  field: string,
): ChatMessage['content'] {
  const isText = ({ type, text }: ContentPart) => type === 'text' && typeof text === 'string';
  const isSaid = (part: ContentPart) => !isText(part) || !isEmpty(part.text ?? '', contract);
  const isFilled = contract.emptyContents === 'none' || contract.emptyContents === 'filled';
  const said = isFilled ? content.filter(isSaid) : content;
  if (contract.parts.includes(role)) return said.length === content.length ? content : said;
  for (const [index, part] of content.entries()) {
    const rule = isText(part) ? undefined : untakenPart(kindOf(part), role, contract);
    if (rule !== undefined) throw refused(call, `${field}[${index}]`, rule);
  }
  const texts = content.map(({ text, refusal }) => textOf(text) ?? textOf(refusal) ?? '');
  return texts.join(role === 'assistant' ? '' : '\n');
}

/** Whether a message that is no result says nothing that the host takes: neither words nor calls. */
function isSilent(message: ChatMessage, contract: ChatContract): boolean {
  const { role, content, tool_calls, function_call } = message;
  if (isResult(message) || role === 'function') return false;
  const isSaid = content !== undefined && content !== null && !isEmpty(content, contract);
  return !isSaid && elements(tool_calls).length === 0 && !isObject(function_call) && !textOf(message.refusal);
}

/** Whether a content is not one for the host. */
function isEmpty(
  content: NonNullable<ChatMessage['content']>,
  { emptyContents }: Pick<ChatContract, 'emptyContents'>,
): boolean {
  if (typeof content !== 'string') return content.length === 0;
  return emptyContents === 'filled' ? content.trim() === '' : content === '' && emptyContents !== 'text';
}

/**
 * The members of messages that OpenAI's API has (`ChatCompletionMessageParam` of the package `openai`), those that codecs read and
 * spell for their hosts, and marks of caches.
 */
const MEMBERS: ReadonlySet<string> = new Set([
  ...['role', 'content', 'name', 'refusal', 'tool_calls', 'tool_call_id', 'function_call', 'audio'],
  ...['reasoning', 'reasoning_details', 'provider_blocks', 'annotations', 'images', 'cache_control'],
]);

const CALL_MEMBERS: ReadonlySet<string> = new Set(['id', 'type', 'function', 'custom', 'cache_control']);

const SIGNED_CALL_MEMBERS: ReadonlySet<string> = new Set([...CALL_MEMBERS, 'extra_content']);

const FUNCTION_MEMBERS: ReadonlySet<string> = new Set(['name', 'arguments']);

function withKnownMembers(message: ChatMessage, { signedCalls }: ChatContract, call: ChatCall): ChatMessage {
  const known = withoutNulls(
    only(message, MEMBERS, (name) => call.onAdapted?.(`messages.${name}`, 'left_out')),
  );
  const { tool_calls } = known;
  if (!Array.isArray(tool_calls)) return known;
  const names = signedCalls ? SIGNED_CALL_MEMBERS : CALL_MEMBERS;
  const calls = mapped(tool_calls as readonly ToolCall[], (one) => withKnownCallMembers(one, names, call));
  return calls === tool_calls ? known : { ...known, tool_calls: calls };
}

function withKnownCallMembers(one: ToolCall, names: ReadonlySet<string>, call: ChatCall): ToolCall {
  const known = only(one, names, (name) => {
    // What is left of a stream says nothing.
    if (name !== 'index') call.onAdapted?.(`messages.tool_calls.${name}`, 'left_out');
  });
  const { function: called } = known;
  if (!isObject(called)) return known;
  const fitted = only(called, FUNCTION_MEMBERS, (name) =>
    call.onAdapted?.(`messages.tool_calls.function.${name}`, 'left_out'),
  );
  return fitted === called ? known : { ...known, function: fitted };
}

/** Answers come back with members that say nothing, as SDKs have them. */
function withoutNulls(message: ChatMessage): ChatMessage {
  const isSaid = ([name, value]: [string, unknown]) => value !== null || name === 'content';
  const entries = Object.entries(message);
  return entries.every(isSaid) ? message : (Object.fromEntries(entries.filter(isSaid)) as ChatMessage);
}

/** The value with these members alone; the very value where it has no other. */
function only<T extends JsonObject>(
  value: T,
  names: ReadonlySet<string>,
  onLeftOut: (name: string) => void,
): T {
  const strangers = Object.keys(value).filter((name) => !names.has(name));
  if (strangers.length === 0) return value;
  strangers.forEach(onLeftOut);
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.has(name))) as T;
}

/** OpenAI's limit of a name (`^[^\s<|\\/>]+$` in its errors); others copy it. */
const MAX_NAME_CHARACTERS = 64;

function fittedName(message: ChatMessage, { names, resultNames }: ChatContract, call: ChatCall): ChatMessage {
  if (message.name === undefined) return message;
  const { name, ...rest } = message;
  // Its call says the same.
  if (isResult(message)) return resultNames ? message : rest;
  const plain = typeof name === 'string' ? name.replaceAll(/[^\w-]/g, '_').slice(0, MAX_NAME_CHARACTERS) : '';
  if (names === 'plain' && plain !== '') return plain === name ? message : { ...rest, name: plain };
  call.onAdapted?.('messages.name', 'left_out');
  return rest;
}
