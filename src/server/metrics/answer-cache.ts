import { counter, type Family } from './families.js';

/** Counts requests that were looked for in the cache of answers. */
export interface AnswerCacheMeter {
  readonly families: readonly Family[];
  lookedFor(outcome: 'hit' | 'miss'): void;
}

export function createAnswerCacheMeter(): AnswerCacheMeter {
  const lookups = counter(
    'byway_answer_cache_lookups_total',
    'Admitted requests that were looked for in the cache of answers, by whether it had one.',
    'outcome',
  );
  lookups.at('hit');
  lookups.at('miss');
  return {
    families: [lookups],
    lookedFor(outcome) {
      lookups.at(outcome).value += 1;
    },
  };
}
