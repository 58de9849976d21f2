import type { JsonObject } from '../chat/types.js';
import { Findings } from '../reading/findings.js';
import type { ReadRequest } from '../reading/read-request.js';
import { chatMessagesOf } from './conversation.js';
import { chatAnswerForm, chatReasoning, wantedReasoning } from './output-config.js';
import { DeclaredTools } from './tool-names.js';
import { chatToolMembers } from './tools.js';
import type { ResponsesBody } from './types.js';
import type { WritingRules } from './writing-rules.js';

/** Reads a Responses request as a chat. Unknown members, items and tools are never refused. */
export function readResponses(body: ResponsesBody): ReadRequest<WritingRules> {
  const findings = new Findings();
  const toolNames = new DeclaredTools();
  const tools = chatToolMembers(body, toolNames, findings);
  const messages = chatMessagesOf(body, findings);
  nameTheRest(body, findings);
  return {
    chat: Object.assign(
      passed(body),
      { messages },
      tools,
      limitOf(body),
      chatReasoning(body, findings),
      chatAnswerForm(body, findings),
    ),
    sealed: findings.sealed,
    omitted: findings.omitted,
    nativeOnly: findings.nativeOnly,
    rules: { body, toolNames, ...wantedReasoning(body) },
    violations: findings.violations,
  };
}

/** Members with the same meaning in a chat. */
const SAME = [
  ...['model', 'models', 'provider', 'stream', 'temperature', 'top_p', 'service_tier'],
  ...['user', 'safety_identifier', 'prompt_cache_key'],
  // Of OpenRouter's and Open Responses' requests, not of OpenAI's.
  ...['top_k', 'frequency_penalty', 'presence_penalty'],
];

function passed(body: ResponsesBody): JsonObject {
  const given = SAME.filter((name) => body[name] !== undefined && body[name] !== null);
  return Object.fromEntries(given.map((name) => [name, body[name]]));
}

function limitOf({ max_output_tokens }: ResponsesBody): JsonObject {
  return typeof max_output_tokens === 'number' ? { max_tokens: max_output_tokens } : {};
}

/** Members that are read above, or in the answer alone, or have no effect on the answer of a chat. */
const READ: ReadonlySet<string> = new Set([
  ...SAME,
  ...['route', 'input', 'instructions', 'tools', 'tool_choice', 'parallel_tool_calls', 'max_output_tokens'],
  ...['reasoning', 'text', 'include', 'top_logprobs', 'stream_options'],
  // Of tools that hosts run, which a chat lacks.
  'max_tool_calls',
  // With the only value that is taken.
  ...['store', 'background', 'previous_response_id', 'conversation', 'prompt'],
]);

/** Values with the same meaning as leaving the member out; conversations that are too long are the host's to refuse. */
const NO_DEMAND: ReadonlyMap<string, readonly unknown[]> = new Map([['truncation', ['auto', 'disabled']]]);

function nameTheRest(body: ResponsesBody, findings: Findings): void {
  for (const [name, value] of Object.entries(body)) {
    if (READ.has(name) || isNothing(value) || NO_DEMAND.get(name)?.includes(value)) continue;
    findings.omit(name);
  }
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}
