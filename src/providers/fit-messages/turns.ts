/** Who speaks after whom, what each says, and calls with their results. */
import type { MessagesContract } from '../../catalog/messages-contract.js';
import type { JsonObject } from '../../formats/chat/types.js';
import { elements, isObject, members, textOf } from '../../formats/json.js';
import { isThought } from '../../formats/messages/thoughts.js';
import { areTaken, isForeignThought } from './are-taken.js';
import { asBlocks, type Block, eachBlock, isBlank, isToolResult, type Turn, textBlock } from './blocks.js';
import { paired } from './pairing.js';
import { isServerCall, withPairedServerCalls } from './server-calls.js';
import { type MessagesStep, withMembers } from './step.js';

/** Said by the user where the host wants the user to speak and nobody has. */
const PLACEHOLDER = '.';

/** Asks for the rest of an answer where the model takes no beginning of one. */
const CONTINUE = 'Continue your last message exactly where it ends, without repeating any of it.';

export const fitMessagesTurns: MessagesStep = (call, contract) => {
  const messages = elements(call.body.messages);
  if (areTaken(messages, contract)) return call;
  call.onAdapted?.('messages', 'changed');
  const { system, turns } = spoken(messages, contract);
  const fitted = ended(begun(joined(withPairedServerCalls(paired(joined(turns))))), contract);
  return withMembers(call, {
    messages: fitted,
    ...(system.length > 0 && { system: [...asBlocks(call.body.system), ...system] }),
  });
};

/** Each message that says something. Those of the system before all others belong to the prompt. */
function spoken(
  messages: readonly unknown[],
  { systemTurns, signedThoughts }: MessagesContract,
): { system: Block[]; turns: Turn[] } {
  const system: Block[] = [];
  const turns: Turn[] = [];
  for (const message of messages) {
    const { role, content } = members(message);
    const said = asBlocks(content).flatMap((block) => saidIn(block, signedThoughts));
    if (said.length === 0) continue;
    if (role !== 'system') turns.push({ ...members(message), role: String(role), content: said });
    else if (turns.length === 0) system.push(...said);
    else if (systemTurns && turns.at(-1)?.role === 'user')
      turns.push({ ...members(message), role, content: said });
    else turns.push({ role: 'user', content: said.map(reminder) });
  }
  return { system, turns };
}

/** The block as the API takes it; nothing of one that says nothing, or of a thought that Claude did not sign. */
function saidIn(block: Block, signedThoughts: boolean): Block[] {
  if (block.type === 'text') return isBlank(block.text) ? [] : [block];
  if (isThought(block)) return signedThoughts && isForeignThought(block) ? [] : [block];
  if (block.type === 'tool_use' && !isObject(block.input)) return [{ ...block, input: inputOf(block.input) }];
  if (!isToolResult(block) || !Array.isArray(block.content)) return [block];
  const isSaid = (inner: unknown) => members(inner).type !== 'text' || !isBlank(members(inner).text);
  return [block.content.every(isSaid) ? block : { ...block, content: block.content.filter(isSaid) }];
}

function inputOf(input: unknown): JsonObject {
  return input === undefined || input === null || input === '' ? {} : { arguments: input };
}

/** Words of the system amid the conversation, as words of the user that say whose they are. */
function reminder(block: Block): Block {
  const text = textOf(block.text);
  if (block.type !== 'text' || text === undefined) return block;
  return { ...block, text: `<system-reminder>\n${text}\n</system-reminder>` };
}

/** Neighbours of one role are one turn to the API. */
function joined(turns: readonly Turn[]): readonly Turn[] {
  const all: Turn[] = [];
  for (const turn of turns) {
    const last = all.at(-1);
    if (last?.role !== turn.role || turn.role === 'system') all.push(turn);
    else all[all.length - 1] = { ...last, content: [...last.content, ...turn.content] };
  }
  return all;
}

function begun(turns: readonly Turn[]): readonly Turn[] {
  return turns[0]?.role === 'user' ? turns : [{ role: 'user', content: [textBlock(PLACEHOLDER)] }, ...turns];
}

/** The last turn may be the assistant's where the model continues it. It must not end in white space, nor in a thought of Claude's. */
function ended(given: readonly Turn[], { prefill, signedThoughts }: MessagesContract): readonly Turn[] {
  const turns = signedThoughts ? withoutLastThoughts(given) : given;
  const last = turns.at(-1);
  if (last?.role !== 'assistant' || isPaused(last.content)) return turns;
  if (!prefill) return [...turns, { role: 'user', content: [textBlock(CONTINUE)] }];
  const end = last.content.at(-1);
  if (typeof end?.text !== 'string') return turns;
  const content = [...last.content.slice(0, -1), { ...end, text: end.text.trimEnd() }];
  return [...turns.slice(0, -1), { ...last, content }];
}

function withoutLastThoughts(turns: readonly Turn[]): readonly Turn[] {
  const last = turns.at(-1);
  if (last?.role !== 'assistant' || !last.content.slice(-1).some(isThought)) return turns;
  const content = last.content.slice(0, last.content.findLastIndex((block) => !isThought(block)) + 1);
  return [...turns.slice(0, -1), ...(content.length === 0 ? [] : [{ ...last, content }])];
}

/** An answer that the model continues has thoughts only where it thinks. */
export const fitOpenAnswer: MessagesStep = (call, { signedThoughts }) => {
  const messages = elements(call.body.messages);
  const last = members(messages.at(-1));
  const content = elements(last.content);
  const isThinking = isObject(call.body.thinking) && call.body.thinking.type !== 'disabled';
  if (!signedThoughts || isThinking || last.role !== 'assistant' || isPaused(content)) return call;
  const said = content.filter((block) => !isThought(members(block)));
  if (said.length === content.length) return call;
  call.onAdapted?.('messages', 'changed');
  return withMembers(call, { messages: [...messages.slice(0, -1), { ...last, content: said }] });
};

/** Stands for what a tool has said that failed and said nothing. */
const FAILED = '[The tool failed and said nothing.]';

/** A result that is an error says something. */
export const fitFailures: MessagesStep = (call) => {
  const given = elements(call.body.messages);
  const messages = eachBlock(given, {
    isMeant: (block) => isToolResult(block) && block.is_error === true && saysNothing(block.content),
    change: (block) => ({ ...block, content: FAILED }),
  });
  if (messages === given) return call;
  call.onAdapted?.('messages', 'changed');
  return withMembers(call, { messages });
};

function saysNothing(content: unknown): boolean {
  return Array.isArray(content) ? content.length === 0 : isBlank(content);
}

/** Whether the turn is one in which tools of the host's ran: it goes on with that. */
function isPaused(content: readonly unknown[]): boolean {
  return content.some((block) => isServerCall(members(block)));
}
