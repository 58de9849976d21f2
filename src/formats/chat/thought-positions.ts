/**
 * Where thoughts stand in a message. A chat's message has its content, its calls and its thoughts apart, while models that
 * think between them want each thought back where it was. So the id of a thought's detail says after how many characters of
 * the content and how many calls it comes: clients keep the ids of details, and drop members that they do not know.
 */
import { isObject, type JsonObject, textOf } from '../json.js';
import type { AssistantMessage, ChunkDelta } from './types.js';

export interface ThoughtPosition {
  /** UTF-16 units of the content before it. */
  readonly content: number;
  /** Calls before it. */
  readonly calls: number;
}

const BEGINNING: ThoughtPosition = { content: 0, calls: 0 };

const ID = /^thought_\d+_(\d{1,9})_(\d{1,9})(?:_(.+))?$/;

/**
 * The member `id` of a thought's detail; none for one at the beginning, where thoughts are anyway. `own`: what the provider
 * calls the thought.
 */
export function positionMember(
  index: number,
  { content, calls }: ThoughtPosition,
  own?: string | undefined,
): JsonObject {
  if (content === 0 && calls === 0) return own === undefined ? {} : { id: own };
  return { id: `thought_${index}_${content}_${calls}${own === undefined ? '' : `_${own}`}` };
}

/** What the provider calls the thought; undefined where its detail does not say. */
export function ownIdOfThought({ id }: JsonObject): string | undefined {
  const text = textOf(id);
  const place = ID.exec(text ?? '');
  return place === null ? text : place[3];
}

/** The beginning where the detail does not say. */
export function positionOfThought({ id }: JsonObject): ThoughtPosition {
  const [, content, calls] = ID.exec(textOf(id) ?? '') ?? [];
  return content === undefined ? BEGINNING : { content: Number(content), calls: Number(calls) };
}

/** A thought, and where it stands. */
export interface PositionedThought<Thought> {
  readonly position: ThoughtPosition;
  readonly thought: Thought;
}

/** A piece of a message: of `texts[part]`, of which it may be the last; a thought, or a call. */
export type MessagePiece<Thought, Call> =
  | { readonly text: string; readonly part: number; readonly isLast: boolean }
  | { readonly thought: Thought }
  | { readonly call: Call };

/** The pieces of a message in their order. Places beyond its end are its end. */
export function piecesInOrder<Thought, Call>(
  texts: readonly string[],
  thoughts: readonly PositionedThought<Thought>[],
  calls: readonly Call[],
): MessagePiece<Thought, Call>[] {
  const pieces: MessagePiece<Thought, Call>[] = [];
  const rest = new TextPieces(texts);
  let called = 0;
  const upTo = ({ content, calls: count }: ThoughtPosition) => {
    pieces.push(...rest.upTo(content));
    for (const call of calls.slice(called, count)) pieces.push({ call });
    called = Math.max(called, Math.min(count, calls.length));
  };
  for (const { position, thought } of thoughts) {
    upTo(position);
    pieces.push({ thought });
  }
  upTo({ content: Number.POSITIVE_INFINITY, calls: calls.length });
  return pieces;
}

class TextPieces {
  readonly #texts: readonly string[];
  #part = 0;
  /** In the part, and in all. */
  #at = 0;
  #passed = 0;

  constructor(texts: readonly string[]) {
    this.#texts = texts;
  }

  *upTo(end: number): Generator<{ text: string; part: number; isLast: boolean }> {
    for (let whole = this.#texts[this.#part]; whole !== undefined; whole = this.#texts[this.#part]) {
      const left = whole.length - this.#at;
      const taken = Math.min(left, Math.max(0, end - this.#passed));
      const isLast = taken === left;
      if (!isLast && taken === 0) return;
      const text = whole.slice(this.#at, this.#at + taken);
      if (text !== '' || whole === '') yield { text, part: this.#part, isLast };
      this.#passed += taken;
      this.#at = isLast ? 0 : this.#at + taken;
      if (!isLast) return;
      this.#part += 1;
    }
  }
}

/** The deltas that a stream of the message would have had; one unless thoughts stand between its content and calls. */
export function deltasOf(message: AssistantMessage): ChunkDelta[] {
  const { role, content, refusal, tool_calls, ...others } = message;
  const calls = (tool_calls ?? []).map((call, index) => ({ index, ...call }));
  const rest = { ...(refusal && { refusal }) };
  const thoughts = thoughtsOf(others.reasoning_details);
  if (thoughts.every(({ position }) => position.content === 0 && position.calls === 0)) {
    return [
      { ...others, ...(content && { content }), ...rest, ...(calls.length > 0 && { tool_calls: calls }) },
    ];
  }
  const { reasoning, reasoning_details, ...further } = others;
  const pieces = piecesInOrder(content ? [content] : [], thoughts, calls).map((piece): ChunkDelta => {
    if ('text' in piece) return { content: piece.text };
    if ('call' in piece) return { tool_calls: [piece.call] };
    const text = piece.thought.map((detail) => textOf(detail.text) ?? '').join('');
    return { ...(text !== '' && { reasoning: text }), reasoning_details: piece.thought };
  });
  return [...pieces, ...(Object.keys({ ...further, ...rest }).length > 0 ? [{ ...further, ...rest }] : [])];
}

/** Details of one index after each other are one thought. */
function thoughtsOf(details: unknown): PositionedThought<JsonObject[]>[] {
  const thoughts: { position: ThoughtPosition; thought: JsonObject[]; index: unknown }[] = [];
  for (const detail of Array.isArray(details) ? details.filter(isObject) : []) {
    const last = thoughts.at(-1);
    if (last !== undefined && detail.index !== undefined && last.index === detail.index)
      last.thought.push(detail);
    else thoughts.push({ position: positionOfThought(detail), thought: [detail], index: detail.index });
  }
  return thoughts;
}
