/**
 * Members that other formats, clients and Claude's own answers have, and that hosts of Claude refuse: `Extra inputs are not
 * permitted`. The lists are those of the package `@anthropic-ai/sdk` 1.12, with its beta features.
 */
import type { JsonObject } from '../../formats/chat/types.js';
import { elements, isObject, members, textOf } from '../../formats/json.js';
import { mapped } from '../fit/step.js';
import { eachBlock, isBlank } from './blocks.js';
import { type MessagesCall, type MessagesStep, withMembers, withoutMembers, withoutNames } from './step.js';

type Names = ReadonlySet<string>;

const MESSAGE: Names = new Set(['role', 'content']);

/** A message of the system amid others. */
const SYSTEM_MESSAGE: Names = new Set([...MESSAGE, 'clear_at', 'output_config']);

/** What the code that a host runs has said. */
const RUN: Names = new Set(['type', 'tool_use_id', 'content', 'cache_control']);

/** Members of blocks by type; those of other types are left as they are. */
const BLOCKS: ReadonlyMap<unknown, Names> = new Map<unknown, Names>([
  ['text', new Set(['type', 'text', 'cache_control', 'citations'])],
  ['image', new Set(['type', 'source', 'cache_control', 'transformations'])],
  ['document', new Set(['type', 'source', 'cache_control', 'citations', 'context', 'title'])],
  ['search_result', new Set(['type', 'content', 'source', 'title', 'cache_control', 'citations'])],
  ['thinking', new Set(['type', 'thinking', 'signature'])],
  ['redacted_thinking', new Set(['type', 'data'])],
  ['tool_use', new Set(['type', 'id', 'name', 'input', 'cache_control', 'caller', 'toolset_name'])],
  ['tool_result', new Set([...RUN, 'is_error', 'toolset_name'])],
  ['server_tool_use', new Set(['type', 'id', 'name', 'input', 'cache_control', 'caller'])],
  ['code_execution_tool_result', RUN],
  ['bash_code_execution_tool_result', RUN],
  ['text_editor_code_execution_tool_result', RUN],
  ['tool_search_tool_result', RUN],
]);

/** Of a tool of the caller's own. */
const TOOL: Names = new Set([
  ...['type', 'name', 'description', 'input_schema', 'cache_control', 'strict', 'defer_loading'],
  ...['allowed_callers', 'eager_input_streaming', 'input_examples'],
]);

/** Characters of `metadata.user_id`. */
const MAX_USER_ID = 256;

/** Leaves strays out of messages, blocks, tools and metadata, and what says nothing out of the prompt. */
export const fitStrays: MessagesStep = (call, { members: known }) => {
  const messages = eachMessage(elements(call.body.messages));
  let fitted = withList(call, 'messages', known === null ? messages : withoutNoCitations(messages));
  if (Array.isArray(call.body.system)) fitted = withPrompt(fitted, call.body.system);
  if (Array.isArray(call.body.tools)) fitted = withList(fitted, 'tools', mapped(call.body.tools, bareTool));
  return withMetadata(fitted);
};

function withList(call: MessagesCall, name: 'messages' | 'tools', list: readonly unknown[]): MessagesCall {
  if (elements(call.body[name]) === list || list.length === 0) return call;
  call.onAdapted?.(name, 'changed');
  return withMembers(call, { [name]: list });
}

function eachMessage(messages: readonly unknown[]): readonly unknown[] {
  const bare = mapped(messages, (message) => {
    const isSystem = members(message).role === 'system';
    return isObject(message) ? withOnly(message, isSystem ? SYSTEM_MESSAGE : MESSAGE) : message;
  });
  return eachBlock(bare, { isMeant: isObject, change: bareBlock });
}

/** Platforms refuse citations that cite nothing. */
function withoutNoCitations(messages: readonly unknown[]): readonly unknown[] {
  return eachBlock(messages, {
    isMeant: ({ type, citations }) => type === 'text' && Array.isArray(citations) && citations.length === 0,
    change: (block) => withoutNames(block, 'citations'),
  });
}

function bareBlock(block: JsonObject): JsonObject {
  const known = BLOCKS.get(block.type);
  return known === undefined ? block : withOnly(block, known);
}

function bareTool(tool: unknown): unknown {
  const { type } = members(tool);
  const isOwn = type === undefined || type === null || type === 'custom';
  return isObject(tool) && isOwn ? withOnly(tool, TOOL) : tool;
}

function withOnly(value: JsonObject, known: Names): JsonObject {
  const strays = Object.keys(value).filter((name) => !known.has(name));
  return strays.length === 0 ? value : withoutNames(value, ...strays);
}

/** The prompt without blocks that say nothing; no prompt where none says anything. */
function withPrompt(call: MessagesCall, given: readonly unknown[]): MessagesCall {
  const isSaid = (block: unknown) => members(block).type !== 'text' || !isBlank(members(block).text);
  const said = given.every(isSaid) ? given : given.filter(isSaid);
  const system = mapped(said, (block) => (isObject(block) ? bareBlock(block) : block));
  if (system === given) return call;
  if (system.length === 0) return withoutMembers(call, 'system');
  call.onAdapted?.('system', 'changed');
  return withMembers(call, { system });
}

function withMetadata(call: MessagesCall): MessagesCall {
  const { metadata } = call.body;
  if (!isObject(metadata)) return call;
  const { user_id } = metadata;
  const isLong = (textOf(user_id)?.length ?? 0) > MAX_USER_ID;
  const strays = Object.keys(metadata).filter((name) => name !== 'user_id' || isLong);
  if (strays.length === 0) return call;
  for (const name of strays) call.onAdapted?.(`metadata.${name}`, 'left_out');
  return withMembers(call, { metadata: withoutNames(metadata, ...strays) });
}
