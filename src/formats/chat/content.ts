import { type JsonObject, textOf } from '../json.js';
import type { ChatMessage, ContentPart } from './types.js';

/**
 * The content of a message: one text if all parts are texts without `cache_control`, which every host takes; else the
 * parts.
 */
export function contentOf(parts: readonly ContentPart[], separator: string): string | readonly ContentPart[] {
  const isPlain = parts.every(({ type, cache_control }) => type === 'text' && cache_control === undefined);
  return isPlain ? parts.map(({ text }) => text).join(separator) : parts;
}

/** A text of content that can only be text, such as the assistant's, and the part that it is of. */
export interface TextOfPart {
  readonly text: string;
  readonly part: JsonObject;
}

/** All texts of such a content. */
export function partsOfText(content: ChatMessage['content']): TextOfPart[] {
  if (typeof content === 'string') return [{ text: content, part: {} }];
  return (content ?? []).flatMap((part) => {
    const text = textOf(part.text) ?? textOf(part.refusal);
    return text === undefined ? [] : [{ text, part }];
  });
}
