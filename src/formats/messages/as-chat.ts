import { invalid, type Violation } from '../../base/problem.js';
import { contentOf } from '../chat/content.js';
import type { ContentPart, JsonObject } from '../chat/types.js';
import { elements, isObject, members } from '../json.js';
import { Findings } from '../reading/findings.js';
import { partsOf } from './content.js';
import { toolCall, toolMessage } from './conversation.js';
import { choiceOf, customTool } from './tools.js';

/**
 * The body of a chat. To models that are called Claude, Cursor sends chats in which tools, their calls and their results are those
 * of Messages: https://github.com/router-for-me/CLIProxyAPI/pull/3804, https://github.com/automazeio/vibeproxy/issues/411
 * (2026-11-26). What is a chat's stays as it is. Throws a 400 Problem for blocks that no chat can have.
 */
export function chatInMessages(body: JsonObject): JsonObject {
  const { messages, tools, tool_choice } = body;
  const hasTools = elements(tools).some(isTool);
  const choice = choiceOf(members(tool_choice), AS_THEY_ARE);
  const hasBlocks = elements(messages).some((message) => elements(members(message).content).some(isBlock));
  if (!hasTools && !hasBlocks && Object.keys(choice).length === 0) return body;
  const findings = new Findings();
  const read = {
    ...body,
    ...(hasTools && { tools: elements(tools).map((tool) => (isTool(tool) ? inChat(tool) : tool)) }),
    ...choice,
    ...(hasBlocks && {
      messages: elements(messages).flatMap((message, position) =>
        messagesOf(message, `messages[${position}]`, findings),
      ),
    }),
  };
  const broken = [...findings.violations, ...findings.nativeOnly.map(notInChats)];
  if (broken.length > 0) throw invalid(broken);
  return read;
}

function notInChats(field: string): Violation {
  return { field, rule: 'unsupported', message: 'needs POST /messages, and a provider that has it' };
}

/** Chats have their own ways with names that hosts don't take. */
const AS_THEY_ARE = { shorten: (name: string) => name };

interface MessagesTool extends JsonObject {
  readonly name: string;
}

function isTool(tool: unknown): tool is MessagesTool {
  if (!isObject(tool) || typeof tool.name !== 'string' || !isObject(tool.input_schema)) return false;
  return tool.type === undefined || tool.type === 'custom';
}

function inChat(tool: MessagesTool): JsonObject {
  return { ...customTool(tool, tool.name) };
}

/** Blocks of which chats have none by that name. */
const FILES: ReadonlySet<unknown> = new Set(['image', 'document']);

function isBlock(part: unknown): part is JsonObject {
  const { type, source } = members(part);
  if (type === 'tool_use' || type === 'tool_result') return true;
  // What a provider stores belongs to somebody there, and is refused by its place.
  return FILES.has(type) && isObject(source) && source.type !== 'file';
}

/** The results of tools in a message come first, each in a message of its own. */
function messagesOf(message: unknown, field: string, findings: Findings): unknown[] {
  const { content, ...others } = members(message);
  if (!elements(content).some(isBlock)) return [message];
  const calls: unknown[] = [...elements(others.tool_calls)];
  const results: unknown[] = [];
  const parts: ContentPart[] = [];
  for (const [position, block] of elements(content).entries()) {
    const located = { block: members(block), field: `${field}.content[${position}]` };
    if (!isBlock(block)) parts.push(members(block) as unknown as ContentPart);
    else if (block.type === 'tool_use') calls.push(toolCall(located, AS_THEY_ARE, findings));
    else if (block.type === 'tool_result') results.push(toolMessage(located, findings));
    else parts.push(...partsOf(located, findings));
  }
  if (parts.length === 0 && calls.length === 0) return results;
  return [
    ...results,
    {
      ...others,
      content: parts.length === 0 ? null : contentIn(parts, others.role),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
  ];
}

/** Parts that are not as they should be are the contract's to refuse. */
function contentIn(parts: readonly ContentPart[], role: unknown): unknown {
  const isRight = parts.every(({ type, text }) => type !== 'text' || typeof text === 'string');
  return isRight ? contentOf(parts, role === 'assistant' ? '' : '\n\n') : parts;
}
