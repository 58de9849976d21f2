import { REASONING_FORMAT } from '../../chat/reasoning-details.js';
import type { ChunkDelta, JsonObject, ToolCall } from '../../chat/types.js';
import { elements, isObject, textOf } from '../../json.js';
import type { MessagesEvent } from '../types.js';
import type { WritingRules } from '../writing-rules.js';
import { CallBlock, type GrowingBlock, TextBlock, ThoughtBlock } from './blocks.js';

/**
 * Writes the deltas of a chat's message as events of content blocks. Only one block may be open at a time, but several
 * calls of a chat may grow at once: the first one is streamed, and the others are held until their arguments are
 * complete.
 */
export class BlockWriter {
  readonly #rules: WritingRules;
  /** The blocks that have not ended. The first is open, or will be opened next. */
  readonly #blocks: GrowingBlock[] = [];
  readonly #calls = new Map<number, CallBlock>();
  #index = 0;
  #isOpen = false;
  #hasForgotten = false;

  constructor(rules: WritingRules) {
    this.#rules = rules;
  }

  /** Whether a thought was or will be written that can't be sent back to its model. */
  get hasForgotten(): boolean {
    return this.#hasForgotten || this.#blocks.some(isForgotten);
  }

  /** Whether the message calls a tool. */
  get hasCalls(): boolean {
    return this.#calls.size > 0;
  }

  write(delta: ChunkDelta): MessagesEvent[] {
    const { content, refusal, tool_calls: calls = [] } = delta;
    const details = elements(delta.reasoning_details).filter(isObject);
    const ids = new Set<unknown>(calls.map(({ id }) => id ?? ''));
    const ofClaude = details.filter(({ format }) => format === REASONING_FORMAT.anthropic);
    const others = details.filter(({ format, id }) => format !== REASONING_FORMAT.anthropic && !ids.has(id));
    this.#addDetails(ofClaude);
    if (!ofClaude.some(({ text }) => textOf(text) !== undefined)) this.#think(textOf(delta.reasoning));
    const isOfThought = textOf(content) === undefined || this.#blocks.at(-1) instanceof ThoughtBlock;
    if (isOfThought) this.#addDetails(others);
    this.#say(textOf(content));
    this.#say(textOf(refusal));
    if (!isOfThought) this.#addDetails(others);
    const ofCalls = byId(details);
    for (const call of calls) {
      this.#addDetails(ofCalls.get(call.id) ?? []);
      this.#call(call);
    }
    return this.#proceed(false);
  }

  /** Ends all blocks. */
  end(): MessagesEvent[] {
    return this.#proceed(true);
  }

  #say(text: string | undefined): void {
    if (text !== undefined) this.#text.add(text);
  }

  #think(text: string | undefined): void {
    if (text !== undefined) this.#thought(UNSIGNED_DETAIL).addText(text);
  }

  #addDetails(details: readonly JsonObject[]): void {
    for (const detail of details) {
      const thought = this.#thought(detail);
      const text = textOf(detail.text);
      if (detail.format === REASONING_FORMAT.anthropic && text !== undefined) thought.addText(text);
      thought.addDetail(detail);
    }
  }

  #call({ index = 0, id, function: called }: ToolCall): void {
    const known = this.#calls.get(index);
    const call = known ?? new CallBlock(id ?? `call_${index}`);
    if (known === undefined) {
      this.#calls.set(index, call);
      this.#blocks.push(call);
    }
    const name = textOf(called?.name);
    call.add(name === undefined ? undefined : this.#rules.toolNames.restore(name), called?.arguments);
  }

  /** The last block if it can take the detail, else a new one. */
  #thought(detail: JsonObject): ThoughtBlock {
    const last = this.#blocks.at(-1);
    if (last instanceof ThoughtBlock && last.takes(detail)) return last;
    const thought = new ThoughtBlock(this.#rules);
    this.#blocks.push(thought);
    return thought;
  }

  get #text(): TextBlock {
    const last = this.#blocks.at(-1);
    if (last instanceof TextBlock) return last;
    const text = new TextBlock();
    this.#blocks.push(text);
    return text;
  }

  #proceed(isEnd: boolean): MessagesEvent[] {
    const events: MessagesEvent[] = [];
    for (let first = this.#blocks[0]; first !== undefined; first = this.#blocks[0]) {
      const isEnding = isEnd || (this.#blocks.length > 1 && first.isComplete);
      this.#grow(first, isEnding, events);
      if (!isEnding) return events;
      this.#hasForgotten ||= isForgotten(first);
      events.push({ type: 'content_block_stop', index: this.#index });
      this.#index += 1;
      this.#isOpen = false;
      this.#blocks.shift();
    }
    return events;
  }

  #grow(block: GrowingBlock, isEnding: boolean, events: MessagesEvent[]): void {
    const index = this.#index;
    const start = this.#isOpen ? undefined : block.start(isEnding);
    if (start !== undefined) {
      events.push({ type: 'content_block_start', index, content_block: start });
      this.#isOpen = true;
    }
    if (!this.#isOpen) return;
    const deltas = block.deltas(isEnding);
    for (const delta of deltas) events.push({ type: 'content_block_delta', index, delta });
  }
}

function isForgotten(block: GrowingBlock): boolean {
  return block instanceof ThoughtBlock && block.isForgotten;
}

const UNSIGNED_DETAIL: JsonObject = {};

/** The details that name what they belong to, by that id. */
function byId(details: readonly JsonObject[]): ReadonlyMap<unknown, readonly JsonObject[]> {
  const found = new Map<unknown, JsonObject[]>();
  for (const detail of details) {
    const { id } = detail;
    if (id === undefined) continue;
    const ofSame = found.get(id);
    if (ofSame === undefined) found.set(id, [detail]);
    else ofSame.push(detail);
  }
  return found;
}
