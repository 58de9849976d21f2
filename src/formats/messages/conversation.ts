/** Translates `system` and `messages` to the messages of a chat. */
import { exactJson } from '../../base/json/json-body.js';
import { contentOf } from '../chat/content.js';
import type { PositionedThought } from '../chat/thought-positions.js';
import type { ChatMessage, ContentPart, JsonObject, ToolCall } from '../chat/types.js';
import { isObject, textOf } from '../json.js';
import type { Findings } from '../reading/findings.js';
import { markedThoughts, reasoningMembers } from '../reading/thoughts.js';
import { blocksOf, type Located, partsOf } from './content.js';
import { isThought, THINKING_BLOCKS } from './thoughts.js';
import type { ToolNames } from './tool-names.js';
import type { MessagesBody } from './types.js';

/** Consecutive messages of one role, which the API treats as one turn. */
interface Turn {
  readonly role: 'user' | 'assistant';
  readonly blocks: Located[];
}

export function chatMessagesOf(body: MessagesBody, names: ToolNames, findings: Findings): ChatMessage[] {
  const { leading, turns } = readTurns(body.messages, findings);
  const system = [...blocksOf(body.system, 'system', findings).filter(isInstruction), ...leading];
  return [
    ...messageOf('system', system, '\n\n', findings),
    ...turns.flatMap(({ role, blocks }) =>
      role === 'user' ? userMessages(blocks, findings) : assistantMessages(blocks, names, findings),
    ),
  ];
}

/**
 * Start of Claude Code's first block, which is for Anthropic's accounting. It may change with every request, which
 * would defeat prompt caches.
 */
const BILLING_HEADER = 'x-anthropic-billing-header';

function isInstruction({ block }: Located): boolean {
  return textOf(block.text)?.startsWith(BILLING_HEADER) !== true;
}

/** System messages before the first turn belong to the system prompt. */
function readTurns(messages: unknown, findings: Findings): { leading: Located[]; turns: Turn[] } {
  const leading: Located[] = [];
  const turns: Turn[] = [];
  if (!Array.isArray(messages)) findings.refuse('messages', 'type', 'must be a list of messages');
  const list: readonly unknown[] = Array.isArray(messages) ? messages : [];
  list.forEach((message, position) => {
    const field = `messages[${position}]`;
    const { role, content, ...rest } = isObject(message) ? message : {};
    for (const name of Object.keys(rest)) findings.omit(`messages.${name}`);
    const blocks = blocksOf(content, `${field}.content`, findings);
    if (role === 'system' && turns.length === 0) leading.push(...blocks);
    else if (role === 'system') addTo(turns, 'user', blocks.map(reminder));
    else if (role === 'user' || role === 'assistant') addTo(turns, role, blocks);
    else findings.refuse(`${field}.role`, 'enum', 'must be user, assistant or system');
  });
  return { leading, turns };
}

function addTo(turns: Turn[], role: Turn['role'], blocks: readonly Located[]): void {
  const last = turns.at(-1);
  if (last?.role === role) last.blocks.push(...blocks);
  else turns.push({ role, blocks: [...blocks] });
}

/**
 * A system message within the conversation, written the way Claude Code sends it to models that take none. It stays
 * where it is, so that whatever precedes it remains cached.
 */
function reminder({ block, field }: Located): Located {
  const text = `<system-reminder>\n${textOf(block.text) ?? ''}\n</system-reminder>`;
  return { block: { ...block, text }, field };
}

/** Results of tools come first, each in a message of its own. */
function userMessages(blocks: readonly Located[], findings: Findings): ChatMessage[] {
  const isResult = ({ block }: Located) => block.type === 'tool_result';
  const results = blocks.filter(isResult).map((result) => toolMessage(result, findings));
  const rest = blocks.filter((one) => !isResult(one));
  return [...results, ...messageOf('user', rest, '\n\n', findings)];
}

export function toolMessage({ block, field }: Located, findings: Findings): ChatMessage {
  const { tool_use_id, content, is_error, cache_control } = block;
  const id = textOf(tool_use_id);
  if (id === undefined) findings.refuse(`${field}.tool_use_id`, 'required', 'must name the call');
  const parts = blocksOf(content, `${field}.content`, findings).flatMap((one) => partsOf(one, findings));
  return {
    role: 'tool',
    tool_call_id: id ?? '',
    content: contentOf(is_error === true ? asError(parts) : parts, '\n'),
    ...(isObject(cache_control) && { cache_control }),
  };
}

function asError(parts: readonly ContentPart[]): readonly ContentPart[] {
  const [first, ...rest] = parts;
  if (first?.type !== 'text') return [{ type: 'text', text: 'Error' }, ...parts];
  return [{ ...first, text: `Error: ${first.text}` }, ...rest];
}

function assistantMessages(blocks: readonly Located[], names: ToolNames, findings: Findings): ChatMessage[] {
  const calls = blocks.filter(isCall);
  const words = blocks.filter((one) => !isThought(one.block) && !isCall(one));
  const parts = words.flatMap((one) => partsOf(one, findings)).filter(({ type }) => type === 'text');
  const isWritten = words.every(({ block }) => block.type === 'text');
  const thoughts = thoughtsIn(blocks);
  if (parts.length === 0 && calls.length === 0) return [];
  const cached = calls.findLast(({ block }) => isObject(block.cache_control));
  const message = {
    role: 'assistant',
    content: parts.length === 0 ? null : contentOf(parts, isWritten ? '' : '\n\n'),
    ...(calls.length > 0 && { tool_calls: calls.map((call) => toolCall(call, names, findings)) }),
    ...reasoningMembers(THINKING_BLOCKS, thoughts),
    ...(cached !== undefined && { cache_control: cached.block.cache_control }),
  };
  const marked = markedThoughts(THINKING_BLOCKS, thoughts);
  if (marked.marks.length > 0) findings.sealed.set(message, marked);
  return [message];
}

/** The thoughts, each after the text and the calls that came before it. */
function thoughtsIn(blocks: readonly Located[]): PositionedThought<JsonObject>[] {
  const thoughts: PositionedThought<JsonObject>[] = [];
  let content = 0;
  let calls = 0;
  for (const one of blocks) {
    const { block } = one;
    if (isThought(block)) thoughts.push({ thought: block, position: { content, calls } });
    else if (isCall(one)) calls += 1;
    else if (block.type === 'text') content += textOf(block.text)?.length ?? 0;
  }
  return thoughts;
}

function isCall({ block }: Located): boolean {
  return block.type === 'tool_use';
}

export function toolCall(
  { block, field }: Located,
  names: Pick<ToolNames, 'shorten'>,
  findings: Findings,
): ToolCall {
  const id = textOf(block.id);
  // Models have called tools by no name at all, and histories keep that.
  const name = typeof block.name === 'string' ? block.name : undefined;
  if (id === undefined) findings.refuse(`${field}.id`, 'required', 'must identify the call');
  if (name === undefined) findings.refuse(`${field}.name`, 'required', 'must name the tool');
  return {
    id: id ?? '',
    type: 'function',
    function: { name: names.shorten(name ?? ''), arguments: exactJson(block.input ?? {}) },
  };
}

function messageOf(
  role: string,
  blocks: readonly Located[],
  separator: string,
  findings: Findings,
): ChatMessage[] {
  const parts = blocks.flatMap((block) => partsOf(block, findings));
  return parts.length === 0 ? [] : [{ role, content: contentOf(parts, separator) }];
}
