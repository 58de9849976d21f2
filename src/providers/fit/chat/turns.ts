/** Who speaks after whom. */
import type { ChatContract } from '../../../catalog/chat-contract.js';
import { roleOf } from '../../../formats/chat/part-kind.js';
import type { ChatMessage, ContentPart } from '../../../formats/chat/types.js';
import { type Step, withBody } from '../step.js';

/** Said by the user where the host wants the user to speak and nobody has. */
const PLACEHOLDER = '.';

/** Said by the assistant between results of tools and what the user says then. */
const ACKNOWLEDGED = 'Understood.';

/** Asks for the rest of an answer where the host takes no beginning of one. */
const CONTINUE = 'Continue your last message exactly where it ends, without repeating any of it.';

export const fitTurns: Step = (call, contract) => {
  const { messages } = call.body;
  let fitted = messages;
  for (const change of CHANGES) fitted = change(fitted, contract);
  if (fitted === messages) return call;
  call.onAdapted?.('messages', 'changed');
  return withBody(call, { messages: fitted });
};

type Change = (messages: readonly ChatMessage[], contract: ChatContract) => readonly ChatMessage[];

/** In this order: each sees what those before it have made. */
const CHANGES: readonly Change[] = [
  remindedLate,
  joinedAtStart,
  acknowledged,
  takingTurns,
  begunByUser,
  spokenToByUser,
  askedForCalls,
  spokenBeforeCalls,
  endedForHost,
];

/** A system message that may not stand where it does stays there, as words of the user that say whose they are. */
function remindedLate(messages: readonly ChatMessage[], { system }: ChatContract): readonly ChatMessage[] {
  const start = system === 'none' ? -1 : startOf(messages);
  const isLate = (message: ChatMessage, at: number) => at > start && roleOf(message) === 'system';
  if (system === 'any' || !messages.some(isLate)) return messages;
  return messages.map((message, at) => (isLate(message, at) ? reminder(message) : message));
}

/** Where the first message stands that is no system message. */
function startOf(messages: readonly ChatMessage[]): number {
  const start = messages.findIndex((message) => roleOf(message) !== 'system');
  return start === -1 ? messages.length : start;
}

function reminder({ content }: ChatMessage): ChatMessage {
  const parts = partsOf(content).map((part) =>
    part.type === 'text' ? { ...part, text: `<system-reminder>\n${part.text}\n</system-reminder>` } : part,
  );
  const [only, ...others] = parts;
  const isPlain = typeof content === 'string' && only?.text !== undefined && others.length === 0;
  return { role: 'user', content: isPlain ? only.text : parts };
}

function joinedAtStart(messages: readonly ChatMessage[], { system }: ChatContract): readonly ChatMessage[] {
  const start = startOf(messages);
  if (system !== 'one' || start < 2) return messages;
  return [messages.slice(0, start).reduce(joined), ...messages.slice(start)];
}

function acknowledged(
  messages: readonly ChatMessage[],
  { assistantAfterResults }: ChatContract,
): readonly ChatMessage[] {
  const isBroken = (message: ChatMessage, at: number) =>
    roleOf(message) === 'user' && isToolsTurn(spokenBefore(messages, at));
  if (!assistantAfterResults || !messages.some(isBroken)) return messages;
  return messages.flatMap((message, at) =>
    isBroken(message, at) ? [{ role: 'assistant', content: ACKNOWLEDGED }, message] : [message],
  );
}

/** The message before that one which is no system message: these have no place in the conversation at some hosts. */
function spokenBefore(messages: readonly ChatMessage[], at: number): ChatMessage | undefined {
  let before = at - 1;
  while (before >= 0 && roleOf(messages[before] as ChatMessage) === 'system') before -= 1;
  return messages[before];
}

function isToolsTurn(message: ChatMessage | undefined): boolean {
  return message !== undefined && roleOf(message) === 'tool';
}

function takingTurns(messages: readonly ChatMessage[], { alternates }: ChatContract): readonly ChatMessage[] {
  const isSame = (one: ChatMessage | undefined, other: ChatMessage) =>
    one !== undefined && roleOf(one) === roleOf(other) && ['user', 'assistant'].includes(roleOf(other));
  if (!alternates || !messages.some((message, at) => isSame(messages[at - 1], message))) return messages;
  const turns: ChatMessage[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (last !== undefined && isSame(last, message)) turns.splice(-1, 1, joined(last, message));
    else turns.push(message);
  }
  return turns;
}

function begunByUser(messages: readonly ChatMessage[], { userFirst }: ChatContract): readonly ChatMessage[] {
  const start = startOf(messages);
  const first = messages[start];
  const isMissing = first === undefined || (userFirst && roleOf(first) !== 'user');
  if (!isMissing || (first === undefined && !userFirst)) return messages;
  return [...messages.slice(0, start), { role: 'user', content: PLACEHOLDER }, ...messages.slice(start)];
}

function spokenToByUser(
  messages: readonly ChatMessage[],
  { userSpeaks }: ChatContract,
): readonly ChatMessage[] {
  if (!userSpeaks || messages.some(({ role }) => role === 'user')) return messages;
  const start = startOf(messages);
  return [...messages.slice(0, start), { role: 'user', content: PLACEHOLDER }, ...messages.slice(start)];
}

/** Calls right after words of the assistant's are one message with them; elsewhere somebody asks for them. */
function askedForCalls(
  messages: readonly ChatMessage[],
  { callsFollow }: ChatContract,
): readonly ChatMessage[] {
  const turns: ChatMessage[] = [];
  let speaker: ReturnType<typeof roleOf> | undefined;
  let isChanged = false;
  for (const message of messages) {
    const isCalling = roleOf(message) === 'assistant' && (message.tool_calls?.length ?? 0) > 0;
    const isUnasked = callsFollow && isCalling && speaker !== 'user' && speaker !== 'tool';
    const last = turns.at(-1);
    isChanged ||= isUnasked;
    if (isUnasked && last !== undefined && roleOf(last) === 'assistant') {
      turns.splice(-1, 1, joined(last, message));
      continue;
    }
    if (isUnasked) turns.push({ role: 'user', content: PLACEHOLDER });
    turns.push(message);
    if (roleOf(message) !== 'system') speaker = roleOf(message);
  }
  return isChanged ? turns : messages;
}

/** What the assistant says beside calls is a message before them, and somebody asks for the calls then. */
function spokenBeforeCalls(
  messages: readonly ChatMessage[],
  { wordsBesideCalls }: ChatContract,
): readonly ChatMessage[] {
  const isBoth = ({ role, content, tool_calls }: ChatMessage) =>
    role === 'assistant' && (tool_calls?.length ?? 0) > 0 && partsOf(content).some(isSaying);
  if (wordsBesideCalls || !messages.some(isBoth)) return messages;
  return messages.flatMap((message) => {
    if (!isBoth(message)) return [message];
    const { tool_calls, reasoning, reasoning_details, ...words } = message;
    return [words, { role: 'user', content: PLACEHOLDER }, { ...message, content: null }];
  });
}

function isSaying({ type, text }: ContentPart): boolean {
  return type !== 'text' || (typeof text === 'string' && text.trim() !== '');
}

function endedForHost(messages: readonly ChatMessage[], { prefill }: ChatContract): readonly ChatMessage[] {
  const last = messages.at(-1);
  if (prefill === 'taken' || last === undefined || roleOf(last) !== 'assistant') return messages;
  if (prefill === 'refused') return [...messages, { role: 'user', content: CONTINUE }];
  return [...messages.slice(0, -1), { ...last, [prefill]: true }];
}

/** Two messages of one role as one. */
function joined(one: ChatMessage, other: ChatMessage): ChatMessage {
  const calls = [...(one.tool_calls ?? []), ...(other.tool_calls ?? [])];
  return {
    ...one,
    ...other,
    content: contentsJoined(one.content, other.content),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function contentsJoined(
  one: ChatMessage['content'],
  other: ChatMessage['content'],
): NonNullable<ChatMessage['content']> {
  const isText = (content: ChatMessage['content']) => typeof content === 'string' || content == null;
  if (!isText(one) || !isText(other)) return [...partsOf(one), ...partsOf(other)];
  return [one, other].filter((text) => typeof text === 'string' && text !== '').join('\n\n');
}

function partsOf(content: ChatMessage['content']): readonly ContentPart[] {
  if (Array.isArray(content)) return content;
  return typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : [];
}
