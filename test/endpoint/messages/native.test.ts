import { describe, expect, it } from 'vitest';
import { COUNTED_TOKENS } from '../../support/fakes/fake-anthropic.js';
import { bodyOf, recordOf } from '../../support/rest.js';
import { CLAUDE, eventsIn, HELLO, startMessages, textIn, UPSTREAM } from './messages.fixture.js';

const STREAMED = { model: CLAUDE, ...HELLO, stream: true };

describe('a request to an endpoint that speaks Messages', () => {
  it('reaches it as it was sent, and is answered as it answers but for id, model and cost', async () => {
    const { use, manage, fakes } = await startMessages();
    const body = {
      model: CLAUDE,
      ...HELLO,
      system: [{ type: 'text', text: 'Be brief', cache_control: { type: 'ephemeral', ttl: '1h' } }],
      metadata: { user_id: 'u-1' },
      provider: { sort: 'price' },
    };
    const headers = { 'anthropic-beta': 'one-2026-01-01,two-2026-02-02', 'x-client': 'mine' };
    const answer = await use('POST', '/messages?beta=true', body, headers);
    expect(answer.status, answer.text).toBe(200);
    const { provider, ...sent } = body;
    expect(fakes[0]?.requests[0]?.text).toBe(JSON.stringify({ ...sent, model: UPSTREAM }));
    expect(fakes[0]?.requests[0]?.headers).toMatchObject({
      'anthropic-beta': 'one-2026-01-01,two-2026-02-02',
      'anthropic-version': '2023-06-01',
    });
    expect(fakes[0]?.requests[0]?.headers).not.toHaveProperty('x-client');
    const message = bodyOf(answer);
    expect(message).toMatchObject({
      id: `msg_${String(answer.headers['x-generation-id'])}`,
      type: 'message',
      role: 'assistant',
      model: CLAUDE,
      stop_reason: 'end_turn',
      usage: { input_tokens: 2, output_tokens: 3, is_byok: true, cost: 0, service_tier: 'standard' },
    });
    expect(answer.headers['request-id']).toBe(answer.headers['x-request-id']);
    expect(recordOf(await manage('GET', `/generation?id=${String(message.id)}`))).toMatchObject({
      api: 'messages',
      lane: 'native',
      omitted: [],
      finish_reason: 'stop',
      native_finish_reason: 'end_turn',
    });
  });

  it('is streamed as it streams', async () => {
    const { use } = await startMessages();
    const answer = await use('POST', '/messages', STREAMED);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^text\/event-stream/);
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
    const id = `msg_${String(answer.headers['x-generation-id'])}`;
    expect(events[0]).toMatchObject({ message: { id, model: CLAUDE, usage: { inference_geo: 'global' } } });
    expect(events.at(-2)).toMatchObject({
      delta: { stop_reason: 'end_turn' },
      usage: { output_tokens: 3, is_byok: true, cost_details: { upstream_inference_cost: 0.000051 } },
    });
  });

  it('is streamed with names of events where the provider has none, however its bytes are cut', async () => {
    const { use } = await startMessages([
      { isNameMissing: true, splitBytes: 7, lineEnd: '\r\n', padding: '  ' },
    ]);
    const events = eventsIn((await use('POST', '/messages', STREAMED)).text);
    expect([events[0]?.type, events.at(-1)?.type]).toEqual(['message_start', 'message_stop']);
    expect(textIn(events)).toBe('Grüezi mitenand 👋🏽!');
  });

  it('is streamed where the provider answers in one piece', async () => {
    const content = [
      { type: 'thinking', thinking: 'Hm', signature: 'Eq1' },
      { type: 'text', text: 'Well', citations: null },
      { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Zürich' } },
    ];
    const { use } = await startMessages([{ isWhole: true, content, stopReason: 'tool_use' }]);
    const events = eventsIn((await use('POST', '/messages', STREAMED)).text);
    expect(events.filter(({ type }) => type === 'content_block_delta').map(({ delta }) => delta)).toEqual([
      { type: 'thinking_delta', thinking: 'Hm' },
      { type: 'signature_delta', signature: 'Eq1' },
      { type: 'text_delta', text: 'Well' },
      { type: 'input_json_delta', partial_json: '{"city":"Zürich"}' },
    ]);
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' }, usage: { is_byok: true } });
  });

  it('keeps what Anthropic has signed, and is sent nothing that the gateway has marked', async () => {
    const { use, fakes } = await startMessages([{ thoughts: ['Hm, well'] }]);
    const body = {
      model: CLAUDE,
      max_tokens: 4000,
      thinking: { type: 'adaptive', display: 'summarized' },
      messages: HELLO.messages,
    };
    const { content } = bodyOf(await use('POST', '/messages', body));
    const foreign = { type: 'thinking', thinking: 'Elsewhere', signature: 'bw1.W10' };
    const messages = [
      ...HELLO.messages,
      { role: 'assistant', content: [foreign, { type: 'text', text: 'Yes' }] },
      { role: 'user', content: 'And?' },
      { role: 'assistant', content },
      { role: 'user', content: 'So?' },
    ];
    const answer = await use('POST', '/messages', { ...body, messages });
    expect(answer.status, answer.text).toBe(200);
    expect(fakes[0]?.requests.at(-1)?.text).not.toContain('bw1.');
    expect(fakes[0]?.requests.at(-1)?.body.messages[3]?.content).toEqual(content);
  });

  it('is sent once more without a beta feature that the provider refuses, and what only that has', async () => {
    const { use, fakes } = await startMessages();
    const refused = {
      status: 400,
      body: {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: 'Unexpected value(s) `context-management-2025-06-27` for the `anthropic-beta` header.',
        },
      },
    };
    fakes[0]?.plan(UPSTREAM, refused);
    const asked = use(
      'POST',
      '/messages',
      { model: CLAUDE, ...HELLO, context_management: { edits: [] } },
      { 'anthropic-beta': 'context-management-2025-06-27,other-2026-01-01' },
    );
    await expect.poll(() => fakes[0]?.requests.length).toBe(2);
    expect((await asked).status).toBe(400);
    const [, again] = fakes[0]?.requests ?? [];
    expect(again?.headers['anthropic-beta']).toBe('other-2026-01-01');
    expect(again?.body).not.toHaveProperty('context_management');
  });

  it('counts the tokens of its prompt, which costs nothing and leaves no record', async () => {
    const { use, manage, gateway } = await startMessages();
    const { max_tokens, ...prompt } = HELLO;
    const answer = await use('POST', '/messages/count_tokens?beta=true', { model: CLAUDE, ...prompt });
    expect(bodyOf(answer)).toEqual({ input_tokens: COUNTED_TOKENS });
    const estimated = await use('POST', '/messages/count_tokens', { model: 'demo/echo', ...prompt });
    expect(bodyOf(estimated)).toEqual({ input_tokens: expect.any(Number) });
    expect(bodyOf(await manage('GET', '/generations'))).toMatchObject({ data: [] });
    expect(gateway.log.join()).not.toContain('sk-ant');
  });
});
