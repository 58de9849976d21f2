/** What codecs of embeddings have in common. */
import { MAX_EMBEDDINGS_ANSWER_BYTES } from './vectors.js';

export const ONE_ANSWER = {
  maxAnswerBytes: MAX_EMBEDDINGS_ANSWER_BYTES,
  packsNumbers: true,
  streamType: '',
  wholeEvents: neverStreamed,
  decoder: neverStreamed,
  counter: null,
} as const;

function neverStreamed(): never {
  throw new Error('embeddings are not streamed');
}
