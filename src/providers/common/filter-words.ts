/**
 * Recognises that an answer was filtered by words alone: Anthropic has neither code nor type for it, wherever Claude is called.
 * Seen at Anthropic, whole and in streams: https://github.com/anthropics/claude-code/issues/58367.
 */
import type { WordedKind } from './account-refusals.js';

const FILTERED = /blocked by content filtering policy/i;

/** undefined if the message does not say so. */
export function filterKind(message = ''): WordedKind | undefined {
  const [phrase] = FILTERED.exec(message) ?? [];
  return phrase === undefined ? undefined : { kind: 'content_filter', phrase };
}
