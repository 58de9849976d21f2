import { invalid, type Violation } from '../../base/problem.js';
import { elements, isObject, type JsonObject, members } from '../json.js';
import { readResponses } from './reader.js';
import { statelessViolations } from './stateless.js';
import { chatFunction } from './tools.js';
import type { ResponsesBody } from './types.js';

/**
 * The body of a chat. Cursor sends chats to some models as Responses requests (`input`, flat tools), and reads the answer
 * as that of a chat: https://github.com/router-for-me/CLIProxyAPI/pull/658 (2026-11-26). Throws a 400 Problem for one that
 * can't be read as a chat.
 */
export function chatInResponses(body: JsonObject): JsonObject {
  const isOne = body.input !== undefined && body.input !== null && elements(body.messages).length === 0;
  if (!isOne) return withChatTools(body);
  // What is of another type than it should be is told of beside what the contract finds.
  const { chat, violations, nativeOnly } = readResponses(body as ResponsesBody);
  const broken = [...statelessViolations(body), ...violations, ...nativeOnly.map(notInChats)];
  if (broken.length > 0) throw invalid(broken);
  const others = Object.entries(body).filter(([name]) => !READ.has(name));
  const { exclude, ...reasoning } = members(chat.reasoning);
  return {
    ...Object.fromEntries(others),
    ...chat,
    // A chat shows its reasoning unless it is told not to.
    ...(chat.reasoning !== undefined && { reasoning }),
  };
}

/** Other chats of Cursor have both kinds of tools: https://github.com/BerriAI/litellm/pull/34029 (2026-11-26). */
function withChatTools(body: JsonObject): JsonObject {
  const { tools, tool_choice } = body;
  const hasFlat = elements(tools).some(isFlat);
  if (!hasFlat && !isFlat(tool_choice)) return body;
  return {
    ...body,
    ...(hasFlat && { tools: elements(tools).map((tool) => (isFlat(tool) ? inChat(tool) : tool)) }),
    ...(isFlat(tool_choice) && { tool_choice: { type: 'function', function: { name: tool_choice.name } } }),
  };
}

interface FlatTool extends JsonObject {
  readonly type: 'function' | 'custom';
  readonly name: string;
}

/** Chats have the name in a member that is called as the type. */
function isFlat(tool: unknown): tool is FlatTool {
  if (!isObject(tool) || typeof tool.name !== 'string') return false;
  return (tool.type === 'function' || tool.type === 'custom') && tool[tool.type] === undefined;
}

function inChat({ type, name, description, parameters, strict, format, ...others }: FlatTool): JsonObject {
  return { ...others, ...chatFunction(type, { description, parameters, strict, format }, name) };
}

function notInChats(field: string): Violation {
  return { field, rule: 'unsupported', message: 'needs POST /responses, and a provider that has it' };
}

/** Members of Responses requests that mean nothing in a chat, or something else. */
const READ: ReadonlySet<string> = new Set([
  ...[
    'messages',
    'input',
    'instructions',
    'max_output_tokens',
    'tools',
    'tool_choice',
    'parallel_tool_calls',
  ],
  ...['reasoning', 'text', 'include', 'truncation', 'max_tool_calls', 'background', 'store', 'top_logprobs'],
  ...['previous_response_id', 'conversation', 'prompt', 'client_metadata', 'prompt_cache_retention'],
]);
