import { describe, expect, it } from 'vitest';
import type { FakePlan } from '../../support/fakes/fake-anthropic/plan.js';
import { bodyOf, type Row, rowsOf } from '../../support/rest.js';
import { CLAUDE, eventsIn, HELLO, startMessages } from './messages.fixture.js';

/** Every count that Anthropic charges for at a price of its own. */
const PRICES = {
  prompt: '0.0000031',
  completion: '0.0000157',
  input_cache_read: '0.00000031',
  input_cache_write: '0.00000389',
  input_cache_write_1h: '0.0000062',
  web_search: '0.0101',
  request: '0.000001',
};

const USAGE = {
  input_tokens: 1013,
  cache_read_input_tokens: 2017,
  cache_creation_input_tokens: 307,
  cache_creation: { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 107 },
  output_tokens: 503,
  output_tokens_details: { thinking_tokens: 101 },
  server_tool_use: { web_search_requests: 3, web_fetch_requests: 0 },
};

const start = (plan: FakePlan) => startMessages([plan], { prices: PRICES });

const costOf = (usage: unknown) => (usage as Row).cost_details;

describe('the cost of Messages', () => {
  it('is that of the same chat, in one piece and streamed, to the nano-USD', async () => {
    const { use, manage } = await start({ usage: USAGE });
    const body = { model: CLAUDE, ...HELLO };
    const chat = bodyOf(await use('POST', '/chat/completions', body));
    const whole = bodyOf(await use('POST', '/messages', body));
    const events = eventsIn((await use('POST', '/messages', { ...body, stream: true })).text);
    const streamed = events.find(({ type }) => type === 'message_delta');
    expect(costOf(whole.usage)).toEqual(costOf(chat.usage));
    expect(costOf(streamed?.usage)).toEqual(costOf(chat.usage));
    expect(whole.usage).toMatchObject(USAGE);
    const records = rowsOf(await manage('GET', '/generations'));
    const costs = new Set(records.map((record) => record.upstream_inference_cost));
    expect([records.length, costs.size]).toEqual([3, 1]);
  });

  it('is an estimate where the provider sends no counts, the same as of a chat', async () => {
    const none = { input_tokens: null, output_tokens: null };
    const { use } = await start({ usage: none });
    const body = { model: CLAUDE, ...HELLO };
    const ask = async (path: string): Promise<unknown> => costOf(bodyOf(await use('POST', path, body)).usage);
    expect(await ask('/messages')).toEqual(await ask('/chat/completions'));
  });
});
