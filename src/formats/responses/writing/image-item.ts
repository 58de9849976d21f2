import { members, textOf } from '../../json.js';
import type { ImageItem } from '../types.js';
import type { ItemEvents } from './item-events.js';
import { type ItemEnding, itemAdded, itemDone, type WrittenItem } from './written-item.js';

const DATA_URL = /^data:[^,]*;base64,/i;

/** The image's bytes in base64; undefined for an image elsewhere. */
export function base64In(image: unknown): string | undefined {
  const url = textOf(members(members(image).image_url).url);
  const head = url === undefined ? null : DATA_URL.exec(url);
  return head === null ? undefined : url?.slice(head[0].length);
}

/** An image that the model made. It comes whole. */
export class ImageItemWriter implements WrittenItem {
  readonly isComplete = true;
  ended: ImageItem | undefined;
  readonly #result: string;

  constructor(base64: string) {
    this.#result = base64;
  }

  write(about: ItemEvents, ending?: ItemEnding): void {
    if (ending === undefined) return;
    const type = 'image_generation_call';
    const id = about.idWith('ig');
    this.ended = { type, id, status: 'completed', result: this.#result };
    itemAdded(about, { type, id, status: 'in_progress', result: null });
    itemDone(about, this.ended);
  }
}
