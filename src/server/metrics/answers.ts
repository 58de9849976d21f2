import type { AnswerCache } from '../../rest/answer-cache.js';
import { type Family, gauge } from './families.js';

/** Metrics of the serialised answers that are kept. */
export function answerFamilies(answers: AnswerCache): Family[] {
  return [
    {
      name: 'byway_cached_answers_total',
      help: 'Answers that are given again, by whether their bytes were there already.',
      type: 'counter',
      samples: () => [
        { labels: [['outcome', 'hit']], value: answers.hits },
        { labels: [['outcome', 'miss']], value: answers.misses },
      ],
    },
    gauge('byway_cached_answers_bytes', 'Bytes of serialised answers in memory.', () => answers.bytes),
  ];
}
