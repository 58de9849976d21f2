import { joinDetail, REASONING_FORMAT } from '../../chat/reasoning-details.js';
import type { JsonObject } from '../../json.js';
import { textOf } from '../../json.js';
import { MAX_MARK_CHARACTERS, type MarkSigner, markOf } from '../../marks.js';
import type { ReasoningItem, ReasoningText, SummaryText } from '../types.js';
import { fittingCallId } from './call-id.js';
import type { ItemEvents } from './item-events.js';
import { GrowingPart, type Part } from './parts.js';
import { type ItemEnding, itemAdded, itemDone, type WrittenItem } from './written-item.js';

export type ReasoningPartType = (ReasoningText | SummaryText)['type'];

export interface ReasoningRules {
  readonly showsReasoning: boolean;
  readonly carriesReasoning: boolean;
  readonly signer?: MarkSigner | undefined;
  /** What a text of the model's reasoning is where the answer does not say: the reasoning itself, or a summary. */
  readonly reasoningPart: ReasoningPartType;
}

/**
 * Reasoning up to the next message or call: its readable text where that was asked for, and a mark with all that the model
 * needs back, its text too, since some clients send back nothing else.
 */
export class ReasoningItemWriter implements WrittenItem {
  readonly isComplete = true;
  ended: ReasoningItem | undefined;
  readonly #rules: ReasoningRules;
  readonly #parts: GrowingPart[] = [];
  /** What the model needs back. It is dropped once a mark could not carry it. */
  readonly #details: JsonObject[] = [];
  #detailCharacters = 0;
  #lastIndex: unknown;
  #hasBegun = false;
  /** The mark for everything so far; null if it can't be made. It is made once, since serializing and signing take time. */
  #mark: string | null | undefined;

  constructor(rules: ReasoningRules) {
    this.#rules = rules;
  }

  /** Whether the model needs something back that no mark could carry. */
  get isForgotten(): boolean {
    return this.#rules.carriesReasoning && this.#detailCharacters > 0 && this.#markNow() === null;
  }

  /** Text of which the provider told nothing else. */
  addText(text: string): void {
    this.#keep({ type: 'reasoning.text', text, format: REASONING_FORMAT.unsigned, index: PLAIN_INDEX });
    this.#show(this.#rules.reasoningPart, text, PLAIN_INDEX);
  }

  /** With `text` where the provider told it beside a detail that has none. */
  addDetail(detail: JsonObject): void {
    this.#keep(detail);
    const summary = textOf(detail.summary);
    if (summary !== undefined) this.#show('summary_text', summary, detail.index);
    const text = textOf(detail.text);
    if (text !== undefined) this.#show(this.#rules.reasoningPart, text, detail.index);
  }

  write(about: ItemEvents, ending?: ItemEnding): void {
    const id = about.idWith('rs');
    const mark = ending === undefined ? undefined : this.#sealed();
    if (this.#parts.length === 0 && mark === undefined) return;
    if (!this.#hasBegun) itemAdded(about, { type: 'reasoning', id, summary: [] });
    this.#hasBegun = true;
    for (const [index, part] of this.#parts.entries()) {
      part.write(about, id, ending !== undefined || index < this.#parts.length - 1);
    }
    if (ending === undefined) return;
    const parts = this.#parts.map(({ part }) => part);
    const content = parts.filter(isText);
    this.ended = {
      type: 'reasoning',
      id,
      summary: parts.filter(isSummary),
      ...(content.length > 0 && { content }),
      ...(mark !== undefined && { encrypted_content: mark }),
    };
    itemDone(about, this.ended);
  }

  #keep(detail: JsonObject): void {
    this.#mark = undefined;
    if (!this.#rules.carriesReasoning || this.#detailCharacters > MAX_MARK_CHARACTERS) return;
    this.#detailCharacters += joinDetail(this.#details, withFittingId(detail));
  }

  #show(type: ReasoningPartType, text: string, index: unknown): void {
    if (!this.#rules.showsReasoning) return;
    const last = this.#parts.at(-1);
    if (last?.type === type && this.#lastIndex === index) {
      last.add(text);
      return;
    }
    const part = new GrowingPart(type, this.#parts.filter((other) => other.type === type).length);
    part.add(text);
    this.#parts.push(part);
    this.#lastIndex = index;
  }

  #sealed(): string | undefined {
    return this.#detailCharacters === 0 ? undefined : (this.#markNow() ?? undefined);
  }

  #markNow(): string | null {
    this.#mark ??= this.#made();
    return this.#mark;
  }

  #made(): string | null {
    const { signer } = this.#rules;
    if (signer === undefined || this.#detailCharacters > MAX_MARK_CHARACTERS) return null;
    return markOf(this.#details.map(withoutPlainIndex), signer) ?? null;
  }
}

/** Joins pieces of text that no provider has numbered. */
const PLAIN_INDEX = 'plain';

function withoutPlainIndex(detail: JsonObject): JsonObject {
  if (detail.index !== PLAIN_INDEX) return detail;
  const { index, ...rest } = detail;
  return rest;
}

/** Some details belong to a call, by its id. */
function withFittingId(detail: JsonObject): JsonObject {
  return typeof detail.id === 'string' ? { ...detail, id: fittingCallId(detail.id) } : detail;
}

function isText(part: Part): part is ReasoningText {
  return part.type === 'reasoning_text';
}

function isSummary(part: Part): part is SummaryText {
  return part.type === 'summary_text';
}
