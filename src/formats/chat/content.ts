import type { ContentPart } from './types.js';

/**
 * The content of a message: one text if all parts are texts without `cache_control`, which every host takes; else the
 * parts.
 */
export function contentOf(parts: readonly ContentPart[], separator: string): string | readonly ContentPart[] {
  const isPlain = parts.every(({ type, cache_control }) => type === 'text' && cache_control === undefined);
  return isPlain ? parts.map(({ text }) => text).join(separator) : parts;
}
