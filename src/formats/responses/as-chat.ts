import { invalid, type Violation } from '../../base/problem.js';
import { elements, type JsonObject, members } from '../json.js';
import { readResponses } from './reader.js';
import { statelessViolations } from './stateless.js';
import type { ResponsesBody } from './types.js';

/**
 * The body of a chat. Cursor sends chats to some models as Responses requests (`input`, flat tools), and reads the answer
 * as that of a chat: https://github.com/router-for-me/CLIProxyAPI/pull/658 (2026-11-26). Throws a 400 Problem for one that
 * can't be read as a chat.
 */
export function chatInResponses(body: JsonObject): JsonObject {
  const isOne = body.input !== undefined && body.input !== null && elements(body.messages).length === 0;
  if (!isOne) return body;
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
