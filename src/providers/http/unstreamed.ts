/** What codecs of APIs have in common whose answers are no texts, and come in one piece. */
import type { NormalizedAnswer, UpstreamUsage } from '../../inference/ports/adapter.js';

export const UNSTREAMED = {
  streamType: '',
  wholeEvents: neverStreamed,
  decoder: neverStreamed,
  counter: null,
} as const;

function neverStreamed(): never {
  throw new Error('answers of this format are not streamed');
}

/** What such an answer is in terms of a chat. It has no tokens of its own. */
export function countsOnly(usage: UpstreamUsage): NormalizedAnswer {
  return { choices: [], usage: { ...usage, completionTokens: 0 }, systemFingerprint: null };
}
