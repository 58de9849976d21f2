import { describe, expect, it } from 'vitest';
import { setLimit } from '../../support/limits.js';
import {
  expectSettled,
  keyRecord,
  type MoneyGateway,
  parallel,
  startMoneyGateway,
} from '../../support/money.js';
import { hear, startProviders, TOKEN_USD } from '../../support/providers.js';
import { refused } from '../../support/rest.js';
import { waitFor } from '../../support/wait-for.js';

const message = ({ use }: MoneyGateway, more: object) =>
  use('POST', '/messages', {
    model: 'test/tokens',
    messages: [{ role: 'user', content: 'Hello there' }],
    ...more,
  });

const RESERVED = { status: 429, reason: 'limit_reserved' };

describe('the reservation of a request', () => {
  it.each([
    ['n', { n: '8' }],
    ['n', { n: 2.5 }],
    ['n', { n: 0 }],
    ['n', { n: -1 }],
    ['n', { n: 129 }],
    ['n', { n: true }],
    ['n', { n: [8] }],
    ['best_of', { best_of: 1e9 }],
    ['max_output_tokens', { max_output_tokens: '10' }],
    ['generation_config.candidate_count', { generation_config: { candidate_count: '8' } }],
    ['generationConfig.maxOutputTokens', { generationConfig: { maxOutputTokens: '65536' } }],
    ['options.num_predict', { options: { num_predict: -1 } }],
    [
      'additionalModelRequestFields.inferenceConfig.max_new_tokens',
      { additionalModelRequestFields: { inferenceConfig: { max_new_tokens: '9' } } },
    ],
    ['thinking.budget_tokens', { thinking: { type: 'enabled', budget_tokens: '9000' } }],
  ])('is never for another number than the provider reads: %s of %j is 400', async (field, more) => {
    const gateway = await startMoneyGateway();
    const chat = () => gateway.chat('test/tokens', more);
    expect(await refused(gateway, chat)).toEqual([400, 'invalid_request', `${field} range`]);
  });

  it.each(['max_tokens', 'max_completion_tokens'])('is for %s as a number, never as a text', async (name) => {
    const gateway = await startMoneyGateway();
    for (const value of ['10', 2.5, -1, true, 1e300, [10]]) {
      expect(await refused(gateway, () => gateway.chat('test/tokens', { [name]: value }))).toEqual([
        ...[400, 'invalid_request'],
        expect.stringContaining(name),
      ]);
      if (name !== 'max_tokens') continue;
      const answer = await message(gateway, { [name]: value });
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(name)]);
    }
  });

  it('covers the larger of max_tokens and max_completion_tokens: a provider may ignore one of them', async () => {
    const gateway = await startProviders('shared capacity', { env: { BYWAY_RESERVATION_WAIT_MS: '0' } });
    await setLimit(gateway, { limit: 0.1 });
    gateway.alpha.plan('m', { delayMs: 2_000 });
    for (const [max_tokens, max_completion_tokens] of [
      [4_000, 1],
      [1, 4_000],
    ]) {
      const ask = () => gateway.chat('test/m', { max_tokens, max_completion_tokens });
      expect(await parallel(5, ask, RESERVED)).toBe(1);
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
    await waitFor(() => expect(gateway.alpha.aborts).toBe(1));
    await expectSettled(gateway);
  });
});
