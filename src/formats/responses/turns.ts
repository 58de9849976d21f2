/** Puts items together to the messages of a chat: what the assistant says, thinks and calls in one turn is one message. */
import type { PositionedThought } from '../chat/thought-positions.js';
import type { ChatMessage, ContentPart, JsonObject, ToolCall } from '../chat/types.js';
import { textOf } from '../json.js';
import type { Findings } from '../reading/findings.js';
import { markedThoughts, reasoningMembers } from '../reading/thoughts.js';
import { REASONING_ITEMS } from './thoughts.js';

const BETWEEN_MESSAGES = '\n\n';

/** What the assistant says, thinks and calls before anybody else speaks, and what its calls gave back. */
export class AssistantTurn {
  readonly #thoughts: PositionedThought<JsonObject>[] = [];
  readonly #calls: ToolCall[] = [];
  readonly #results: ChatMessage[] = [];
  #text = '';
  #refusal = '';

  /** Whether results have come, so that what the assistant says next is another turn. */
  get isAnswered(): boolean {
    return this.#results.length > 0;
  }

  say(parts: readonly ContentPart[]): void {
    const text = parts.map((part) => textOf(part.text) ?? '').join('');
    const refusal = parts.map((part) => textOf(part.refusal) ?? '').join('');
    this.#text = [this.#text, text].filter((one) => one !== '').join(BETWEEN_MESSAGES);
    this.#refusal += refusal;
  }

  think(thought: JsonObject): void {
    const position = { content: this.#text.length, calls: this.#calls.length };
    this.#thoughts.push({ thought, position });
  }

  call(call: ToolCall): void {
    this.#calls.push(call);
  }

  answer(result: ChatMessage): void {
    this.#results.push(result);
  }

  /** Thoughts that led to nothing are left out. */
  messages(findings: Findings): ChatMessage[] {
    const calls = this.#calls;
    if (this.#text === '' && this.#refusal === '' && calls.length === 0) return [];
    const message = {
      role: 'assistant',
      content: this.#text === '' ? null : this.#text,
      ...(this.#refusal !== '' && { refusal: this.#refusal }),
      ...(calls.length > 0 && { tool_calls: calls }),
      ...reasoningMembers(REASONING_ITEMS, this.#thoughts),
    };
    const marked = markedThoughts(REASONING_ITEMS, this.#thoughts);
    if (marked.marks.length > 0) findings.sealed.set(message, marked);
    return [message, ...this.#results];
  }
}

/** A conversation that grows by items. */
export class InputTurns {
  readonly #entries: (ChatMessage | AssistantTurn)[] = [];
  /** The latest turn that has a call, by the call's id. */
  readonly #turnOf = new Map<string, AssistantTurn>();

  add(message: ChatMessage): void {
    this.#entries.push(message);
  }

  /** The turn of the assistant's that goes on, or a new one. */
  get turn(): AssistantTurn {
    const last = this.#entries.at(-1);
    if (last instanceof AssistantTurn && !last.isAnswered) return last;
    const turn = new AssistantTurn();
    this.#entries.push(turn);
    return turn;
  }

  call(id: string, called: ToolCall): void {
    const { turn } = this;
    turn.call(called);
    this.#turnOf.set(id, turn);
  }

  /** A result goes right after its call, whatever was said in between; one of no call stays where it is. */
  answer(id: string, result: ChatMessage): void {
    const turn = this.#turnOf.get(id);
    if (turn === undefined) this.add(result);
    else turn.answer(result);
  }

  messages(findings: Findings): ChatMessage[] {
    return this.#entries.flatMap((entry) =>
      entry instanceof AssistantTurn ? entry.messages(findings) : [entry],
    );
  }
}
