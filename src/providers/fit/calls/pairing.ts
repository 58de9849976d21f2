/**
 * Calls of tools and their results, for hosts that want each call answered right after it, once. Agents cut histories,
 * lose results when they are interrupted, and send some late.
 */
import { textKey } from '../../../base/text.js';
import type { ChatMessage, ContentPart } from '../../../formats/chat/types.js';
import { elements } from '../../../formats/json.js';
import { type Step, withBody } from '../step.js';
import { OpenCalls } from './open-calls.js';
import { NO_RESULT, orphanHeading } from './result-words.js';

/** Moves late results to their calls, answers calls that nobody has, and makes results of no call words of the user. */
export const pairCalls: Step = (call, { pairedCalls }) => {
  const { messages } = call.body;
  if (!pairedCalls || arePaired(messages)) return call;
  call.onAdapted?.('messages', 'changed');
  return withBody(call, { messages: paired(messages) });
};

export function isResult({ role }: ChatMessage): boolean {
  return role === 'tool';
}

function arePaired(messages: readonly ChatMessage[]): boolean {
  /** Calls without a result, by their ids. */
  let open = new Map<string, number>();
  for (const message of messages) {
    if (isResult(message)) {
      const key = textKey(message.tool_call_id ?? '');
      const left = open.get(key);
      if (left === undefined) return false;
      if (left === 1) open.delete(key);
      else open.set(key, left - 1);
      continue;
    }
    if (open.size > 0) return false;
    open = countsOf(idsOf(message));
  }
  return open.size === 0;
}

function countsOf(ids: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(textKey(id), (counts.get(textKey(id)) ?? 0) + 1);
  return counts;
}

function idsOf({ role, tool_calls }: ChatMessage): string[] {
  return role === 'assistant' ? elements(tool_calls).map((call) => idOf(call)) : [];
}

function idOf(call: unknown): string {
  const { id } = call as { readonly id?: unknown };
  return typeof id === 'string' ? id : '';
}

interface PairedCall {
  readonly id: string;
  /** Where its result stands among the messages. */
  resultAt?: number;
}

function paired(messages: readonly ChatMessage[]): ChatMessage[] {
  const { callsOf, orphans } = matched(messages);
  return messages.flatMap((message, at) => {
    if (isResult(message)) return orphans.has(at) ? [orphaned(message)] : [];
    const calls = callsOf.get(at);
    if (calls === undefined) return [message];
    const answered = calls.flatMap(({ resultAt }) => resultAt ?? []).sort((a, b) => a - b);
    const missing = calls.filter(({ resultAt }) => resultAt === undefined);
    return [
      message,
      ...answered.flatMap((resultAt) => messages[resultAt] ?? []),
      ...missing.map(({ id }) => unanswered(id)),
    ];
  });
}

/** Late results go to earlier calls of their id, where those of the latest message have theirs. */
function matched(messages: readonly ChatMessage[]) {
  const callsOf = new Map<number, PairedCall[]>();
  const orphans = new Set<number>();
  const open = new OpenCalls<PairedCall>();
  messages.forEach((message, at) => {
    if (isResult(message)) {
      const call = open.take(message.tool_call_id ?? '');
      if (call === undefined) orphans.add(at);
      else call.resultAt = at;
      return;
    }
    const calls = idsOf(message).map((id): PairedCall => ({ id }));
    if (calls.length === 0) return;
    callsOf.set(at, calls);
    open.add(calls.map((call) => [call.id, call]));
  });
  return { callsOf, orphans };
}

function unanswered(id: string): ChatMessage {
  return { role: 'tool', tool_call_id: id, content: NO_RESULT };
}

function orphaned({ tool_call_id = '', content }: ChatMessage): ChatMessage {
  const heading = orphanHeading(tool_call_id);
  if (!Array.isArray(content)) return { role: 'user', content: `${heading}\n${content ?? ''}` };
  const parts: readonly ContentPart[] = content;
  return { role: 'user', content: [{ type: 'text', text: heading }, ...parts] };
}
