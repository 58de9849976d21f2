import type { JsonObject } from '../../json.js';
import type { ItemStatus, MessageItem, MessagePart } from '../types.js';
import type { ItemEvents } from './item-events.js';
import { GrowingPart } from './parts.js';
import { type ItemEnding, itemAdded, itemDone, type WrittenItem } from './written-item.js';

/** A message: its text, and a refusal in words. */
export class MessageItemWriter implements WrittenItem {
  readonly isComplete = true;
  ended: MessageItem | undefined;
  readonly #parts: GrowingPart[] = [];
  #hasBegun = false;

  addText(text: string, logprobs: readonly JsonObject[]): void {
    this.#partOf('output_text').add(text, logprobs);
  }

  refuse(refusal: string): void {
    this.#partOf('refusal').add(refusal);
  }

  annotate(annotations: readonly JsonObject[]): void {
    this.#parts.findLast(({ type }) => type === 'output_text')?.annotate(annotations);
  }

  write(about: ItemEvents, ending?: ItemEnding): void {
    const id = about.idWith('msg');
    if (!this.#hasBegun) itemAdded(about, message(id, 'in_progress', []));
    this.#hasBegun = true;
    for (const [index, part] of this.#parts.entries()) {
      part.write(about, id, ending !== undefined || index < this.#parts.length - 1);
    }
    if (ending === undefined) return;
    const content = this.#parts.map(({ part }) => part as MessagePart);
    this.ended = message(id, ending === 'cut' ? 'incomplete' : 'completed', content);
    itemDone(about, this.ended);
  }

  #partOf(type: MessagePart['type']): GrowingPart {
    const last = this.#parts.at(-1);
    if (last?.type === type) return last;
    const part = new GrowingPart(type, this.#parts.length);
    this.#parts.push(part);
    return part;
  }
}

function message(id: string, status: ItemStatus, content: readonly MessagePart[]): MessageItem {
  return { type: 'message', id, status, role: 'assistant', content };
}
