import { sha256Hex } from '../../base/ids.js';
import type { Violation } from '../../base/problem.js';
import type { ChatBody, JsonObject } from '../chat/types.js';
import { members, textOf } from '../json.js';
import { chatMessagesOf } from './conversation.js';
import { Findings } from './findings.js';
import { chatReasoning, chatResponseFormat } from './output-config.js';
import type { SealedThoughts } from './sealed-thoughts.js';
import { ToolNames } from './tool-names.js';
import { chatToolMembers } from './tools.js';
import type { MessagesBody } from './types.js';
import type { WritingRules } from './writing-rules.js';

/** A Messages request as a chat, and what does not fit into one. */
export interface ReadRequest {
  /** With `model`, `models`, `provider` and `stream` as they are in the request. Complete where `violations` is empty. */
  readonly chat: ChatBody;
  /** What of the chat's reasoning stands in marks, which `openThoughts` reads. */
  readonly sealed: SealedThoughts;
  /** Types of tools and blocks, and members, that the chat lacks: the generation's `omitted`. Each once. */
  readonly omitted: readonly string[];
  /**
   * What only an endpoint that speaks Messages can do, each by its member's name or its tool's type: leaving it out
   * would answer another question. Endpoints that are called in another format are excluded where it is not empty.
   */
  readonly nativeOnly: readonly string[];
  readonly rules: WritingRules;
  /** Why the request can't be read as a chat. An endpoint that speaks Messages judges for itself. */
  readonly violations: readonly Violation[];
}

/** Reads a Messages request as a chat. Nothing that it does not know is refused. */
export function readMessages(body: MessagesBody): ReadRequest {
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

/** Members that mean the same in a chat; `cache_control` marks the end of the prompt. */
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

/** https://platform.openai.com/docs/api-reference/chat/create (`user`, now `safety_identifier`) */
const MAX_USER_CHARACTERS = 64;

/** Claude Code's is a long JSON text: what is too long for others becomes its hash. */
function userOf({ metadata }: MessagesBody): JsonObject {
  const user = textOf(members(metadata).user_id);
  if (user === undefined) return {};
  return { user: user.length > MAX_USER_CHARACTERS ? sha256Hex(user) : user };
}

function tierOf({ service_tier, speed }: MessagesBody): JsonObject {
  if (speed === 'fast') return { service_tier: 'priority' };
  return service_tier === 'standard_only' ? { service_tier: 'default' } : {};
}

/** Members that are read above, or mean nothing in an answer of a chat. */
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

/** Members without which the answer would be another one. */
const NATIVE_ONLY: ReadonlySet<string> = new Set(['mcp_servers', 'container', 'thread', 'inference_geo']);

/** Says the same as leaving the member out. */
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
