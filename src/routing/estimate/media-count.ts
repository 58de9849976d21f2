import type { ChatBody } from './used-parameters.js';

/** Numbers of media content parts in a request. */
export interface MediaCount {
  readonly images: number;
  readonly audio: number;
  /** Documents, other files and videos. */
  readonly files: number;
}
export function countMedia({ messages }: ChatBody): MediaCount {
  let images = 0;
  let audio = 0;
  let files = 0;
  for (const message of listOf(messages)) {
    for (const part of listOf(member(message, 'content'))) {
      const type = member(part, 'type');
      if (type === 'image_url') images += 1;
      else if (type === 'input_audio') audio += 1;
      else if (type === 'file' || type === 'video_url') files += 1;
    }
  }
  return { images, audio, files };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
