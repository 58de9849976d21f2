import type { ChatBody } from './dialect.js';

/** How many pieces of media a request has. */
export interface MediaCount {
  readonly images: number;
  readonly audio: number;
}

/** Counts the pieces of media in all messages. */
export function countParts({ messages }: ChatBody): MediaCount {
  let images = 0;
  let audio = 0;
  for (const { content } of messages) {
    if (!Array.isArray(content)) continue;
    for (const { type } of content) {
      if (type === 'image_url') images += 1;
      else if (type === 'input_audio') audio += 1;
    }
  }
  return { images, audio };
}
