/** Ids of calls, which other models and clients made up, in the form that the host takes. */
import { createHash } from 'node:crypto';
import { textKey } from '../../../base/text.js';
import type { ChatContract } from '../../../catalog/chat-contract.js';
import type { ChatMessage, ToolCall } from '../../../formats/chat/types.js';
import { members } from '../../../formats/json.js';
import { mapped, type Step, withBody } from '../step.js';
import { isResult } from './pairing.js';
import { UniqueIds } from './unique-ids.js';

/** Ids are used once in a conversation, and stay the same from request to request, as caches of prompts want it. */
export const fitCallIds: Step = (call, contract) => {
  if (contract.callIds === 'any' && contract.maxCallId === null && !contract.pairedCalls) return call;
  const ids = new CallIds(contract);
  return withBody(call, { messages: mapped(call.body.messages, (message) => ids.fitted(message)) });
};

class CallIds {
  readonly #contract: ChatContract;
  readonly #unique: UniqueIds;
  /** What the calls of the latest message that has an id are called now, by what they were. */
  readonly #current = new Map<string, CurrentIds>();

  constructor(contract: ChatContract) {
    this.#contract = contract;
    this.#unique = new UniqueIds((text) => made(text, contract));
  }

  fitted(message: ChatMessage): ChatMessage {
    if (isResult(message)) return this.#result(message);
    const { tool_calls } = message;
    if (message.role !== 'assistant' || !Array.isArray(tool_calls)) return message;
    const given: readonly ToolCall[] = tool_calls;
    for (const { id } of given) this.#current.delete(textKey(id ?? ''));
    const calls = mapped(given, (call) => this.#call(call));
    return calls === tool_calls ? message : { ...message, tool_calls: calls, ...this.#detailsOf(message) };
  }

  /** What is said of calls beside them, such as signatures, names them too. */
  #detailsOf({ reasoning_details }: ChatMessage): Partial<ChatMessage> {
    if (!Array.isArray(reasoning_details)) return {};
    const taken = new Map<string, number>();
    return {
      reasoning_details: reasoning_details.map((detail: unknown) => {
        const { id } = members(detail);
        if (typeof id !== 'string') return detail;
        const key = textKey(id);
        const { ids } = this.#current.get(key) ?? { ids: [] };
        const at = taken.get(key) ?? 0;
        taken.set(key, at + 1);
        return { ...members(detail), id: ids[Math.min(at, ids.length - 1)] ?? id };
      }),
    };
  }

  #call(call: ToolCall): ToolCall {
    const given = typeof call.id === 'string' ? call.id : '';
    const id = this.#unique.next(formed(given, this.#contract));
    const key = textKey(given);
    const current = this.#current.get(key);
    if (current === undefined) this.#current.set(key, { ids: [id], answered: 0 });
    else current.ids.push(id);
    return id === call.id ? call : { ...call, id };
  }

  #result(message: ChatMessage): ChatMessage {
    const given = message.tool_call_id ?? '';
    const current = this.#current.get(textKey(given));
    const id = current?.ids[current.answered] ?? formed(given, this.#contract);
    if (current !== undefined) current.answered += 1;
    return id === message.tool_call_id ? message : { ...message, tool_call_id: id };
  }
}

interface CurrentIds {
  readonly ids: string[];
  /** How many of them have a result. */
  answered: number;
}

const FORMS: Readonly<Record<ChatContract['callIds'], RegExp>> = {
  any: /./s,
  plain: /^[a-zA-Z0-9_-]+$/,
  nine: /^[a-zA-Z0-9]{9}$/,
};

/** The id itself where the host takes it. */
function formed(id: string, contract: ChatContract): string {
  const { callIds, maxCallId } = contract;
  const isTaken = FORMS[callIds].test(id) && (maxCallId === null || id.length <= maxCallId);
  return isTaken ? id : made(id, contract);
}

/** Characters of a made id: shorter than any host's limit. */
const MADE_CHARACTERS = 24;

/** Another text has another id. */
function made(text: string, { callIds }: ChatContract): string {
  const digest = createHash('sha256').update(text).digest();
  const letters = digest.toString('base64').replaceAll(/[^a-zA-Z0-9]/g, 'x');
  return callIds === 'nine' ? letters.slice(0, 9) : `call_${letters.slice(0, MADE_CHARACTERS)}`;
}
