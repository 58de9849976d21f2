import type { ChunkDelta, JsonObject, ToolCall } from '../../chat/types.js';
import { elements, isObject, textOf } from '../../json.js';
import type { ToolNames } from '../tool-names.js';
import type { OutputItem } from '../types.js';
import { citationsIn, logprobsIn } from './annotations.js';
import { fittingCallId } from './call-id.js';
import { CallItemWriter } from './call-item.js';
import { base64In, ImageItemWriter } from './image-item.js';
import { ItemEvents, type UnnumberedEvent } from './item-events.js';
import { MessageItemWriter } from './message-item.js';
import { ReasoningItemWriter, type ReasoningRules } from './reasoning-item.js';
import type { ItemEnding, WrittenItem } from './written-item.js';

export interface ItemRules extends ReasoningRules {
  readonly toolNames: ToolNames;
}

/** The record's names for what a response has no place for, or no mark can carry. */
export type Unplaced = 'audio' | 'images' | 'reasoning';

/**
 * Writes the deltas of a chat's message as items. One item is written after the other, but several calls of a chat may grow
 * at once: the first one is streamed, and the others are held until its arguments are complete.
 */
export class ItemWriter {
  /** The final items. */
  readonly output: OutputItem[] = [];
  readonly #generationId: string;
  readonly #rules: ItemRules;
  /** The items that are not final. The first is being written, or will be next. */
  readonly #items: WrittenItem[] = [];
  readonly #calls = new Map<number, CallItemWriter>();
  readonly #callIds = new Set<string>();
  readonly #unplaced = new Set<Unplaced>();
  #about: ItemEvents;
  /** Characters of the chat's content before the last message. */
  #contentBefore = 0;
  #content = 0;

  constructor(generationId: string, rules: ItemRules) {
    this.#generationId = generationId;
    this.#rules = rules;
    this.#about = new ItemEvents(generationId, 0);
  }

  /** What was or will be left out. */
  get unplaced(): readonly Unplaced[] {
    const forgets = !this.#unplaced.has('reasoning') && this.#items.some(isForgotten);
    return forgets ? [...this.#unplaced, 'reasoning'] : [...this.#unplaced];
  }

  /** `logprobs` of a chat's choice. */
  write(delta: ChunkDelta, logprobs: JsonObject | null = null): UnnumberedEvent[] {
    const { content, refusal, tool_calls: calls = [] } = delta;
    const details = elements(delta.reasoning_details).filter(isObject);
    const ids = new Set<unknown>(calls.map(({ id }) => id ?? ''));
    const ofCalls = details.filter(({ id }) => ids.has(id));
    const others = details.filter(({ id }) => !ids.has(id));
    const reasoning = textOf(delta.reasoning);
    // The signature of a thought comes with it or behind it, that of a text with the text.
    const isOfThought =
      textOf(content) === undefined ||
      reasoning !== undefined ||
      others.some(hasText) ||
      this.#items.at(-1) instanceof ReasoningItemWriter;
    if (isOfThought) this.#think(reasoning, others);
    this.#say(textOf(content), logprobsIn(logprobs));
    if (typeof refusal === 'string' && refusal !== '') this.#message.refuse(refusal);
    this.#cite(delta.annotations);
    if (!isOfThought) this.#think(undefined, others);
    for (const call of calls) {
      this.#think(
        undefined,
        ofCalls.filter(({ id }) => id === call.id),
      );
      this.#call(call);
    }
    this.#show(delta);
    return this.#proceed(undefined);
  }

  /** Ends all items. `cut` is how the last one ends. */
  end(ending: ItemEnding): UnnumberedEvent[] {
    return this.#proceed(ending);
  }

  #think(text: string | undefined, details: readonly JsonObject[]): void {
    const { showsReasoning, carriesReasoning } = this.#rules;
    if (!showsReasoning && !carriesReasoning) return;
    // A host that tells both tells the same text twice.
    if (text !== undefined && !details.some(hasText)) this.#reasoning.addText(text);
    const kept = carriesReasoning ? details : details.filter(hasText);
    for (const detail of kept) this.#reasoning.addDetail(detail);
  }

  #say(text: string | undefined, logprobs: readonly JsonObject[]): void {
    if (text === undefined && logprobs.length === 0) return;
    this.#message.addText(text ?? '', logprobs);
    this.#content += text?.length ?? 0;
  }

  /** Sources are of the last message, whose first character has the position 0. */
  #cite(annotations: unknown): void {
    const last = this.#items.findLast((item) => item instanceof MessageItemWriter);
    if (annotations !== undefined) last?.annotate(citationsIn(annotations, this.#contentBefore));
  }

  #call({ index = 0, id, function: called }: ToolCall): void {
    let call = this.#calls.get(index);
    if (call === undefined) {
      call = new CallItemWriter(this.#callIdFor(id), this.#rules.toolNames);
      this.#calls.set(index, call);
      this.#items.push(call);
    }
    call.add(textOf(called?.name), called?.arguments);
  }

  /** Ids that are missing, or that the answer has already, are made: a client could not tell the calls apart. */
  #callIdFor(id: string | undefined): string {
    const given = fittingCallId(id ?? '');
    const isFree = given !== '' && !this.#callIds.has(given);
    const own = isFree ? given : `call_${this.#generationId}_${this.#callIds.size}`;
    this.#callIds.add(own);
    return own;
  }

  #show({ images, audio }: ChunkDelta): void {
    for (const image of elements(images)) {
      const base64 = base64In(image);
      if (base64 === undefined) this.#unplaced.add('images');
      else this.#items.push(new ImageItemWriter(base64));
    }
    if (isObject(audio)) this.#unplaced.add('audio');
  }

  get #reasoning(): ReasoningItemWriter {
    const last = this.#items.at(-1);
    if (last instanceof ReasoningItemWriter) return last;
    const reasoning = new ReasoningItemWriter(this.#rules);
    this.#items.push(reasoning);
    return reasoning;
  }

  get #message(): MessageItemWriter {
    const last = this.#items.at(-1);
    if (last instanceof MessageItemWriter) return last;
    const message = new MessageItemWriter();
    this.#items.push(message);
    this.#contentBefore = this.#content;
    return message;
  }

  #proceed(ending: ItemEnding | undefined): UnnumberedEvent[] {
    const events: UnnumberedEvent[] = [];
    for (let first = this.#items[0]; first !== undefined; first = this.#items[0]) {
      const isLast = this.#items.length === 1;
      const isOver = ending !== undefined || (!isLast && first.isComplete);
      first.write(this.#about, isOver ? (isLast ? ending : 'completed') : undefined);
      events.push(...this.#about.take());
      if (!isOver) return events;
      if (isForgotten(first)) this.#unplaced.add('reasoning');
      if (first.ended !== undefined) this.output.push(first.ended);
      this.#about = new ItemEvents(this.#generationId, this.output.length);
      this.#items.shift();
    }
    return events;
  }
}

function isForgotten(item: WrittenItem): boolean {
  return item instanceof ReasoningItemWriter && item.isForgotten;
}

function hasText({ text, summary }: JsonObject): boolean {
  return textOf(text) !== undefined || textOf(summary) !== undefined;
}
