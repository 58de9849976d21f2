import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { expect, it, vi } from 'vitest';
import { ChatService } from '../../../gen/byway/v1/chat_pb.js';
import { guardrail, setLimit } from '../../support/limits.js';
import { COST_USD, type MoneyGateway, startMoneyGateway } from '../../support/money.js';
import { startProviders, TOKEN_USD } from '../../support/providers.js';
import type { Answer } from '../../support/rest.js';

const remaining = ({ headers }: Answer) => headers['x-byway-remaining-usd'];

const messages = ({ use }: MoneyGateway, more: object = {}) =>
  use('POST', '/messages', {
    model: 'test/paid',
    max_tokens: 5,
    messages: [{ role: 'user', content: 'Hello there' }],
    ...more,
  });

it('an answer says what is left of the tightest limit after its own settlement, in every API', async () => {
  const gateway = await startMoneyGateway();
  await setLimit(gateway, { limit: 1 });
  await guardrail(gateway, { limit_usd: 10 * COST_USD }, 'key');
  expect(remaining(await gateway.chat('test/paid'))).toBe('0.09');
  expect(remaining(await messages(gateway))).toBe('0.08');
  const transport = createGrpcTransport({ baseUrl: gateway.url });
  let header: string | null = null;
  await createClient(ChatService, transport).createChatCompletion(
    {
      chat: {
        model: 'test/paid',
        messages: [{ role: 'user', content: { form: { case: 'text', value: 'Hi' } } }],
      },
    },
    {
      headers: { authorization: `Bearer ${gateway.apiKey}` },
      onHeader(headers) {
        header = headers.get('x-byway-remaining-usd');
      },
    },
  );
  expect(header).toBe('0.07');
});

it('a stream says it with its own reservation held', async () => {
  const gateway = await startProviders('shared capacity');
  await setLimit(gateway, { limit: 1 });
  const answer = await gateway.chat('test/m', { stream: true, max_tokens: 1_000 });
  expect(remaining(answer)).toBe(String(1 - 1_000 * TOKEN_USD.alpha));
  expect(remaining(await gateway.chat('test/m', { max_tokens: 1_000 }))).toBe('0.9992');
});

it.each([false, true])('a refusal says it too, never below 0 (streamed: %s)', async (stream) => {
  const gateway = await startMoneyGateway();
  await setLimit(gateway, { limit: COST_USD / 2 });
  expect(remaining(await gateway.chat('test/paid'))).toBe('0');
  for (const refused of [await gateway.chat('test/paid', { stream }), await messages(gateway, { stream })])
    expect([refused.status >= 400, remaining(refused)]).toEqual([true, '0']);
});

it('nothing is said to callers without a limit, however much credit they have', async () => {
  const gateway = await startMoneyGateway();
  expect(remaining(await gateway.chat('test/paid'))).toBeUndefined();
  expect(remaining(await gateway.chat('test/failing'))).toBeUndefined();
});

it('an answer does not wait for what can’t be read', async () => {
  const gateway = await startMoneyGateway();
  await setLimit(gateway, { limit: 1 });
  vi.spyOn(gateway.gateway.stores, 'knownBalances').mockRejectedValue(new Error('away'));
  expect((await gateway.chat('test/paid')).status).toBe(200);
});
