import type { OutputItem } from '../types.js';
import type { ItemEvents } from './item-events.js';

/** `completed` is for an item that may have been cut only if it shows so itself; `cut` for the one that was being written. */
export type ItemEnding = 'completed' | 'cut';

/** An item that is written as it grows. */
export interface WrittenItem {
  /** Whether the item is final as soon as another one has begun. */
  readonly isComplete: boolean;
  /** Adds the events for what is new. With an ending the item is final. */
  write(about: ItemEvents, ending?: ItemEnding): void;
  /** The final item; undefined before, and where there was nothing to write. */
  readonly ended: OutputItem | undefined;
}

/** Adds the events that begin and end an item. */
export function itemAdded(about: ItemEvents, item: OutputItem): void {
  about.add('response.output_item.added', { output_index: about.index, item });
}

export function itemDone(about: ItemEvents, item: OutputItem): void {
  about.add('response.output_item.done', { output_index: about.index, item });
}
