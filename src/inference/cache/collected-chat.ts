/** Puts the answer to a chat together from the events of its stream, so that it can be given in one piece too. */
import { textLength } from '../../base/json/text-length.js';
import { joinDetail } from '../../formats/chat/reasoning-details.js';
import type {
  AnswerChoice,
  AssistantMessage,
  ChunkDelta,
  FinishReason,
  JsonObject,
  ToolCall,
} from '../../formats/chat/types.js';
import { elements, isObject } from '../../formats/json.js';
import type { UpstreamAnswer, UpstreamEvent } from '../ports/adapter.js';
import { type AnswerCollector, NO_MEMBERS, type StreamUsage } from '../ports/stream-usage.js';

export class CollectedChat implements AnswerCollector {
  readonly #maxCharacters: number;
  readonly #choices = new Map<number, CollectedChoice>();
  #characters = 0;
  #isLost = false;

  /** Longer answers are not put together. */
  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters;
  }

  add(event: UpstreamEvent): void {
    if (this.#isLost) return;
    switch (event.type) {
      case 'delta': {
        const added = this.#choice(event.index).add(event.delta, event.logprobs);
        this.#characters += added ?? Infinity;
        if (this.#characters > this.#maxCharacters) this.#lose();
        return;
      }
      case 'finish':
        this.#choice(event.index).finish(event.reason, event.nativeReason);
        return;
      case 'native':
        this.#lose();
    }
  }

  collected({ usage, fingerprint, members, mode }: StreamUsage): UpstreamAnswer | undefined {
    if (this.#isLost) return undefined;
    const indexes = [...this.#choices.keys()].sort((a, b) => a - b);
    const choices = indexes.flatMap((index) => this.#choice(index).collected(index) ?? []);
    return {
      format: 'chat',
      choices,
      usage,
      systemFingerprint: fingerprint,
      ...(members !== NO_MEMBERS && { members }),
      mode,
    };
  }

  #choice(index: number): CollectedChoice {
    const known = this.#choices.get(index);
    if (known !== undefined) return known;
    const begun = new CollectedChoice();
    this.#choices.set(index, begun);
    return begun;
  }

  #lose(): void {
    this.#isLost = true;
    this.#choices.clear();
  }
}

const TEXTS = ['content', 'refusal', 'reasoning'] as const;

class CollectedChoice {
  readonly #texts = { content: '', refusal: '', reasoning: '' };
  readonly #details: JsonObject[] = [];
  readonly #calls = new Map<number, JsonObject>();
  readonly #others: Record<string, unknown> = {};
  #logprobs: JsonObject | null = null;
  #end: { readonly reason: FinishReason; readonly nativeReason: string | null } | undefined;

  /** About how many characters were added; undefined for what can't be put together. */
  add(delta: ChunkDelta, logprobs: JsonObject | undefined): number | undefined {
    const { role, content, refusal, reasoning, reasoning_details, tool_calls = [], ...others } = delta;
    const texts = { content, refusal, reasoning };
    let characters = 0;
    for (const name of TEXTS) {
      const text = texts[name] ?? '';
      this.#texts[name] += text;
      characters += text.length;
    }
    for (const detail of elements(reasoning_details).filter(isObject))
      characters += joinDetail(this.#details, detail);
    for (const call of tool_calls) characters += this.#addCall(call);
    for (const [name, value] of Object.entries(others)) {
      const joined = joinedMember(this.#others[name], value);
      if (joined === undefined) return undefined;
      this.#others[name] = joined;
      characters += textLength(value);
    }
    if (logprobs !== undefined) {
      this.#logprobs = joinedLists(this.#logprobs, logprobs);
      characters += textLength(logprobs);
    }
    return characters;
  }

  finish(reason: FinishReason, nativeReason: string | null): void {
    this.#end ??= { reason, nativeReason };
  }

  /** undefined for a choice that has no end. */
  collected(index: number): AnswerChoice | undefined {
    if (this.#end === undefined) return undefined;
    const { content, refusal, reasoning } = this.#texts;
    const calls = [...this.#calls].sort(([a], [b]) => a - b).map(([, call]) => call as ToolCall);
    const message: AssistantMessage = {
      role: 'assistant',
      content: content || null,
      refusal: refusal || null,
      ...(reasoning !== '' && { reasoning }),
      ...(this.#details.length > 0 && { reasoning_details: this.#details }),
      ...(calls.length > 0 && { tool_calls: calls }),
      ...this.#others,
    };
    const { reason: finish_reason, nativeReason: native_finish_reason } = this.#end;
    return { index, message, finish_reason, native_finish_reason, logprobs: this.#logprobs };
  }

  #addCall({ index = 0, ...fragment }: ToolCall): number {
    this.#calls.set(index, joinedCall(this.#calls.get(index), fragment));
    return textLength(fragment);
  }
}

/** Arguments come in pieces, all else once. */
function joinedCall(call: JsonObject = {}, fragment: JsonObject): JsonObject {
  const joined: Record<string, unknown> = { ...call };
  for (const [name, value] of Object.entries(fragment)) {
    const known = joined[name];
    joined[name] = isObject(value) && isObject(known) ? joinedArguments(known, value) : (value ?? known);
  }
  return joined;
}

const PIECES = ['arguments', 'input'] as const;

function joinedArguments(known: JsonObject, added: JsonObject): JsonObject {
  const pieces = PIECES.filter((name) => typeof added[name] === 'string');
  const joined = pieces.map((name) => [name, `${known[name] ?? ''}${added[name]}`]);
  return { ...known, ...added, ...Object.fromEntries(joined) };
}

/** Lists grow; anything else that comes twice can't be joined without knowing it. */
function joinedMember(known: unknown, value: unknown): unknown {
  if (known === undefined) return value;
  return Array.isArray(known) && Array.isArray(value) ? [...known, ...value] : undefined;
}

/** Of log probabilities, which are lists by what they are of. */
function joinedLists(known: JsonObject | null, added: JsonObject): JsonObject {
  const joined: Record<string, unknown> = { ...known };
  for (const [name, value] of Object.entries(added)) {
    const before = joined[name];
    joined[name] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : (value ?? before);
  }
  return joined;
}
