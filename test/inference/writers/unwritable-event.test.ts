import { expect, it } from 'vitest';
import {
  bench,
  chatRequest,
  contentOf,
  drain,
  finish,
  scriptedAdapter,
  sharedAttempt,
  word,
} from '../../support/chat.js';

it('an event that can not be written ends the answer, which is recorded once as broken off', async () => {
  const odd = {
    type: 'delta',
    index: 0,
    get delta(): never {
      throw new TypeError('not to be read');
    },
  } as const;
  const { chat, generations } = bench([sharedAttempt('attempt')], {
    adapters: new Map([['demo', scriptedAdapter([word('a'), odd, word('b'), finish()]).adapter]]),
  });
  const { chunks, thrown } = await drain(chat.stream(chatRequest()));
  expect([contentOf(chunks), thrown]).toEqual(['a', new TypeError('not to be read')]);
  expect(generations).toMatchObject([{ provider: 'demo', finishReason: 'error' }]);
});
