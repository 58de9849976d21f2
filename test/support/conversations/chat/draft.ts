import type { Rng } from '../rng.js';

/** A chat that is being made; its oddities change it. */
export interface ChatDraft {
  messages: Message[];
  tools: Tool[];
  /** All other members of the body. */
  members: { [name: string]: unknown };
}

export interface Message {
  role: string;
  content?: unknown;
  tool_calls?: Call[];
  tool_call_id?: string;
  [member: string]: unknown;
}

export interface Call {
  id: string;
  type: string;
  function: { name: string; arguments: string };
  [member: string]: unknown;
}

export interface Tool {
  type: string;
  function: { name: string; [member: string]: unknown };
  [member: string]: unknown;
}

/** Changes a draft, or says that there is no place for it. */
export type Oddity = (draft: ChatDraft, rng: Rng) => boolean;

export function indexesOf(draft: ChatDraft, role: string): number[] {
  return [...draft.messages.keys()].filter((index) => draft.messages[index]?.role === role);
}

export function messagesOf(draft: ChatDraft, role: string): Message[] {
  return draft.messages.filter((message) => message.role === role);
}

export function callsOf(draft: ChatDraft): Call[] {
  return draft.messages.flatMap(({ tool_calls }) => tool_calls ?? []);
}

export function callers(draft: ChatDraft): Message[] {
  return draft.messages.filter(({ tool_calls }) => (tool_calls ?? []).length > 0);
}

/** Gives a call another id, and its results too. */
export function renameId(draft: ChatDraft, call: Call, id: string): void {
  for (const message of draft.messages) if (message.tool_call_id === call.id) message.tool_call_id = id;
  call.id = id;
}

/** Changes one of the messages of a role; false where there is none. */
export function change(rng: Rng, messages: readonly Message[], how: (message: Message) => void): boolean {
  if (messages.length === 0) return false;
  how(rng.pick(messages));
  return true;
}

/** The content as parts, whatever it is. */
export function partsOf(message: Message): unknown[] {
  const { content } = message;
  if (Array.isArray(content)) return content;
  const parts = typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : [];
  message.content = parts;
  return parts;
}
