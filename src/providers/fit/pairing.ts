/**
 * Calls of tools and their results, for hosts that want each call answered right after it, once. Agents cut histories,
 * lose results when they are interrupted, and send some late.
 */
import { textKey } from '../../base/text.js';
import type { ChatMessage, ContentPart } from '../../formats/chat/types.js';
import { elements } from '../../formats/json.js';
import { type Step, withBody } from './step.js';

/** Stands for the result of a call that was never answered. */
const NO_RESULT = '[The call was not answered.]';

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
  let open: string[] = [];
  for (const message of messages) {
    if (isResult(message)) {
      const found = open.indexOf(message.tool_call_id ?? '');
      if (found === -1) return false;
      open.splice(found, 1);
      continue;
    }
    if (open.length > 0) return false;
    open = idsOf(message);
  }
  return open.length === 0;
}

function idsOf({ role, tool_calls }: ChatMessage): string[] {
  return role === 'assistant' ? elements(tool_calls).map((call) => idOf(call)) : [];
}

function idOf(call: unknown): string {
  const { id } = call as { readonly id?: unknown };
  return typeof id === 'string' ? id : '';
}

/** A call, by the message that it stands in. */
interface Slot {
  readonly at: number;
  readonly id: string;
  result?: ChatMessage;
}

function paired(messages: readonly ChatMessage[]): ChatMessage[] {
  const { slots, orphans } = matched(messages);
  return messages.flatMap((message, at) => {
    if (isResult(message)) return orphans.has(message) ? [orphaned(message)] : [];
    const calls = slots.get(at);
    if (calls === undefined) return [message];
    const answered = new Set(calls.flatMap(({ result }) => result ?? []));
    const inOrder = messages.filter((one) => answered.has(one));
    const missing = calls.filter(({ result }) => result === undefined).map(({ id }) => unanswered(id));
    return [message, ...inOrder, ...missing];
  });
}

/** Each result belongs to the latest message with a call of its id that has no result yet. */
function matched(messages: readonly ChatMessage[]) {
  const slots = new Map<number, Slot[]>();
  const orphans = new Set<ChatMessage>();
  const open = new Map<string, Slot[]>();
  messages.forEach((message, at) => {
    if (isResult(message)) {
      const key = textKey(message.tool_call_id ?? '');
      const waiting = open.get(key)?.filter(({ result }) => result === undefined) ?? [];
      const slot = waiting.find((one) => one.at === waiting.at(-1)?.at);
      if (slot === undefined) orphans.add(message);
      else slot.result = message;
      return;
    }
    const ids = idsOf(message);
    if (ids.length === 0) return;
    const made = ids.map((id) => ({ at, id }));
    slots.set(at, made);
    for (const slot of made) {
      const key = textKey(slot.id);
      open.set(key, [...(open.get(key) ?? []).filter(({ at: place }) => place === at), slot]);
    }
  });
  return { slots, orphans };
}

function unanswered(id: string): ChatMessage {
  return { role: 'tool', tool_call_id: id, content: NO_RESULT };
}

function orphaned({ tool_call_id = '', content }: ChatMessage): ChatMessage {
  const heading = `[Result of a call that is not in this conversation (${tool_call_id}):]`;
  if (!Array.isArray(content)) return { role: 'user', content: `${heading}\n${content ?? ''}` };
  const parts: readonly ContentPart[] = content;
  return { role: 'user', content: [{ type: 'text', text: heading }, ...parts] };
}
