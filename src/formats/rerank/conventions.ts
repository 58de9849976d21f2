import type { FailureDetails } from '../../base/problem.js';
import { type ErrorWords, errorWords } from '../chat/error.js';

/** What OpenAI's clients expect of errors, with the member that holds the texts. */
export const RERANK_CONVENTIONS = { errorWords: wordsOf };

function wordsOf(failed: FailureDetails): ErrorWords {
  const words = errorWords(failed);
  return failed.reason === 'context_length_exceeded' ? { ...words, param: 'documents' } : words;
}
