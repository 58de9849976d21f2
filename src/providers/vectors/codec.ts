/** What codecs of embeddings have in common. */
import { UNSTREAMED } from '../http/unstreamed.js';
import { MAX_EMBEDDINGS_ANSWER_BYTES } from './vectors.js';

export const ONE_ANSWER = {
  ...UNSTREAMED,
  maxAnswerBytes: MAX_EMBEDDINGS_ANSWER_BYTES,
  packsNumbers: true,
} as const;
