import { sha256Hex } from '../../base/ids.js';
import type { JsonObject } from '../chat/types.js';
import { members, textOf } from '../json.js';
import { Findings } from '../reading/findings.js';
import type { ReadRequest } from '../reading/read-request.js';
import { chatMessagesOf } from './conversation.js';
import { chatReasoning, chatResponseFormat } from './output-config.js';
import { ToolNames } from './tool-names.js';
import { chatToolMembers } from './tools.js';
import type { MessagesBody } from './types.js';
import type { WritingRules } from './writing-rules.js';

/** Reads a Messages request as a chat. Unknown members and blocks are never refused. */
export function readMessages(body: MessagesBody): ReadRequest<WritingRules> {
  const findings = new Findings();
  const toolNames = new ToolNames();
  const messages = chatMessagesOf(body, toolNames, findings);
  const tools = chatToolMembers(body, toolNames, findings);
  nameTheRest(body, findings);
  return {
    chat: Object.assign(
      passed(body),
      { messages },
      tools,
      stopOf(body),
      chatReasoning(body, findings),
      chatResponseFormat(body, findings),
      userOf(body),
      tierOf(body),
    ),
    sealed: findings.sealed,
    omitted: findings.omitted,
    nativeOnly: findings.nativeOnly,
    rules: { toolNames, showsThoughts: members(body.thinking).display !== 'omitted' },
    violations: findings.violations,
  };
}

/** Members with the same meaning in a chat; `cache_control` sets a breakpoint at the end of the prompt. */
const SAME = [
  'model',
  'models',
  'provider',
  'stream',
  'max_tokens',
  'temperature',
  'top_p',
  'top_k',
  'cache_control',
] as const;

function passed(body: MessagesBody): JsonObject {
  const given = SAME.filter((name) => body[name] !== undefined && body[name] !== null);
  return Object.fromEntries(given.map((name) => [name, body[name]]));
}

function stopOf({ stop_sequences }: MessagesBody): JsonObject {
  return Array.isArray(stop_sequences) && stop_sequences.length > 0 ? { stop: stop_sequences } : {};
}

/** Source: https://platform.openai.com/docs/api-reference/chat/create (`user`, now `safety_identifier`). */
const MAX_USER_CHARACTERS = 64;

/** Claude Code sends a long JSON text. A value that is too long for other APIs is replaced by its hash. */
function userOf({ metadata }: MessagesBody): JsonObject {
  const user = textOf(members(metadata).user_id);
  if (user === undefined) return {};
  return { user: user.length > MAX_USER_CHARACTERS ? sha256Hex(user) : user };
}

function tierOf({ service_tier, speed }: MessagesBody): JsonObject {
  if (speed === 'fast') return { service_tier: 'priority' };
  if (service_tier === 'standard_only') return { service_tier: 'default' };
  // `auto` is what chats ask for that say nothing.
  return typeof service_tier === 'string' && service_tier !== 'auto' ? { service_tier } : {};
}

/** Members that are read above, or have no effect on the answer of a chat. */
const READ: ReadonlySet<string> = new Set([
  ...SAME,
  'route',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'stop_sequences',
  'thinking',
  'output_config',
  'output_format',
  'metadata',
  'service_tier',
  'speed',
]);

/** Members that decide what the answer is. */
const NATIVE_ONLY: ReadonlySet<string> = new Set(['mcp_servers', 'container', 'inference_geo']);

/** Values with the same meaning as leaving the member out. */
const NO_DEMAND: ReadonlyMap<string, unknown> = new Map([['inference_geo', 'global']]);

function nameTheRest(body: MessagesBody, findings: Findings): void {
  for (const [name, value] of Object.entries(body)) {
    if (READ.has(name) || isNothing(value) || NO_DEMAND.get(name) === value) continue;
    if (NATIVE_ONLY.has(name)) findings.demand(name);
    else findings.omit(name);
  }
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}
