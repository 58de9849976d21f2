import { describe, expect, it, vi } from 'vitest';
import { setLimit } from '../../support/limits.js';
import { expectSettled, keyRecord, mustSucceed, parallel, startMoneyGateway } from '../../support/money.js';
import { hear, startProviders, TOKEN_USD } from '../../support/providers.js';

const REACHED = { status: 403, reason: 'key_limit_exceeded' };

describe('the reservation of a request', () => {
  it.each([1.0001, 2.5, 1e300, 0, -1, 'two'])(
    'copes with any n, which is passed on to the provider: %s',
    async (n) => {
      const gateway = await startMoneyGateway();
      await mustSucceed(gateway.chat('test/tokens', { n }));
      await expectSettled(gateway);
    },
  );

  it('covers the larger of max_tokens and max_completion_tokens: a provider may ignore one of them', async () => {
    const gateway = await startProviders('shared capacity');
    await setLimit(gateway, { limit: 0.1 });
    gateway.alpha.plan('m', { delayMs: 2_000 });
    for (const [max_tokens, max_completion_tokens] of [
      [4_000, 1],
      [1, 4_000],
    ]) {
      const ask = () => gateway.chat('test/m', { max_tokens, max_completion_tokens });
      expect(await parallel(5, ask, REACHED)).toBe(1);
    }
    await expectSettled(gateway);
  });

  it('is extended for a stream whose provider exceeds max_tokens, and the stream is ended where that is refused', async () => {
    const gateway = await startProviders('shared capacity');
    const choices = [{ index: 0, delta: { content: 'word' } }];
    const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices };
    gateway.alpha.plan('m', { chunks: [chunk], isEndless: true });
    await setLimit(gateway, { limit: 0.5 });
    const answer = hear(await gateway.chat('test/m', { stream: true, max_tokens: 5 }));
    expect(answer).toMatchObject({ finishReason: 'length', isDone: true, error: null });
    expect(answer.usage?.cost).toBeLessThan(0.5 + 4_096 * TOKEN_USD.alpha);
    expect(await keyRecord(gateway)).toMatchObject({ usage: answer.usage?.cost });
    await vi.waitFor(() => expect(gateway.alpha.aborts).toBe(1));
    await expectSettled(gateway);
  });
});
