import type { AnswerCache } from '../../rest/answer-cache.js';
import { type Family, gauge } from './families.js';

/** Metrics of the serialised answers that are kept. */
export function answerFamilies(answers: AnswerCache): Family[] {
  return [
    {
      name: 'byway_cached_answers_total',
      help: 'Answers of model lists, by whether their bytes were there already.',
      type: 'counter',
      samples: () => [
        { labels: [['outcome', 'hit']], value: answers.hits },
        { labels: [['outcome', 'miss']], value: answers.misses },
      ],
    },
    gauge('byway_cached_answers_bytes', 'Bytes of serialised model lists in memory.', () => answers.bytes),
  ];
}
