import { describe, expect, it } from 'vitest';
import { bodyOf } from '../../support/rest.js';
import { CLAUDE, eventsIn, HELLO, startMessages, UPSTREAM } from './messages.fixture.js';

describe('a request to an endpoint that speaks Messages', () => {
  it('reaches it as it was sent, and is answered as it answers but for id, model and cost', async () => {
    const { use, fakes } = await startMessages();
    const body = {
      model: CLAUDE,
      ...HELLO,
      system: [{ type: 'text', text: 'Be brief', cache_control: { type: 'ephemeral', ttl: '1h' } }],
      metadata: { user_id: 'u-1' },
      provider: { sort: 'price' },
    };
    const answer = await use('POST', '/messages?beta=true', body, { 'anthropic-beta': 'one-2026-01-01' });
    expect(answer.status, answer.text).toBe(200);
    const { provider, ...sent } = body;
    expect(fakes[0]?.requests[0]?.text).toBe(JSON.stringify({ ...sent, model: UPSTREAM }));
    expect(fakes[0]?.requests[0]?.headers).toMatchObject({
      'anthropic-beta': 'one-2026-01-01',
      'anthropic-version': '2023-06-01',
    });
    expect(bodyOf(answer)).toMatchObject({
      id: expect.stringMatching(/^msg_gen-/),
      type: 'message',
      role: 'assistant',
      model: CLAUDE,
      stop_reason: 'end_turn',
      usage: { output_tokens: 3, is_byok: true, cost: 0 },
    });
  });

  it('is streamed as it streams', async () => {
    const { use } = await startMessages();
    const answer = await use('POST', '/messages', { model: CLAUDE, ...HELLO, stream: true });
    expect(answer.status, answer.text).toBe(200);
    const events = eventsIn(answer.text);
    expect(events.map(({ type }) => type)).toEqual([
      'message_start',
      'content_block_start',
      'ping',
      'content_block_delta',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(events[0]).toMatchObject({ message: { id: expect.stringMatching(/^msg_gen-/), model: CLAUDE } });
    expect(events.at(-2)).toMatchObject({
      delta: { stop_reason: 'end_turn' },
      usage: { output_tokens: 3, is_byok: true, cost_details: { upstream_inference_cost: 0.000051 } },
    });
  });
});
