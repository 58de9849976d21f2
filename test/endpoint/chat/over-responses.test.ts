import { describe, expect, it } from 'vitest';
import { CASES, CONTENT, MODES, startProviders, TOKEN_USD } from '../../support/providers.js';
import { bodyOf, type Row, recordOf } from '../../support/rest.js';

const RESPONSES = { formats: { alpha: ['responses'] } } as const;
const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }];

describe.each(CASES)('a chat for a model without chats, over $capacity, $mode', ({ capacity, mode }) => {
  it('is answered over the Responses API, with its words, its counts and its price', async () => {
    const gateway = await startProviders(capacity, RESPONSES);
    const heard = await gateway.ask(mode);
    expect(heard).toMatchObject({
      status: 200,
      content: CONTENT,
      finishReason: 'stop',
      provider: 'alpha',
      usage: { completion_tokens: 4 },
      isDone: true,
    });
    const [request] = gateway.alpha.requests;
    expect(request?.path).toMatch(/\/responses$/);
    expect(request?.body).toMatchObject({ model: 'm', store: false });
    const record = recordOf(await gateway.manage('GET', `/generation?id=${heard.id}`));
    const { api, provider, native_finish_reason } = record;
    expect({ api, provider, native_finish_reason }).toEqual({
      api: 'chat',
      provider: 'alpha',
      native_finish_reason: 'completed',
    });
    if (capacity === 'shared capacity') expect(heard.usage?.cost).toBeCloseTo(4 * TOKEN_USD.alpha, 9);
  });

  it('falls back from it to one with chats, and the reverse', async () => {
    for (const formats of [RESPONSES.formats, { beta: ['responses'] }] as const) {
      const gateway = await startProviders(capacity, { formats });
      gateway.alpha.plan('m', { status: 503, body: { error: { message: 'Down', code: 'server_error' } } });
      expect(await gateway.ask(mode)).toMatchObject({ status: 200, content: CONTENT, provider: 'beta' });
    }
  });

  it('is cut where its host fails after the first words', async () => {
    const gateway = await startProviders(capacity, RESPONSES);
    gateway.alpha.plan('m', {
      chunks: [
        {
          type: 'response.output_text.delta',
          output_index: 0,
          item_id: 'msg_1',
          content_index: 0,
          delta: 'Grü',
        },
        {
          type: 'response.failed',
          response: { status: 'failed', error: { code: 'server_error', message: 'Down' } },
        },
      ],
    });
    gateway.beta.plan('m', { status: 503, body: {} });
    const heard = await gateway.ask(mode, mode === 'streamed' ? {} : { max_tokens: 20 });
    if (mode === 'streamed')
      expect(heard).toMatchObject({ content: 'Grü', finishReason: 'error', isDone: false });
  });
});

describe.each(MODES)('an agent at a model without chats, %s', (mode) => {
  it('has its calls, and its reasoning comes back with their results', async () => {
    const gateway = await startProviders('BYOK keys', { ...RESPONSES, upstreamModelId: 'gpt-5' });
    gateway.alpha.plan('gpt-5', { reasoning: ['Hm'] });
    const asked = {
      messages: [{ role: 'user', content: 'Hi' }],
      tools,
      include: ['reasoning.encrypted_content'],
    };
    const answer = await gateway.chat('test/m', asked);
    gateway.alpha.plan('gpt-5', {});
    const { message } = (bodyOf(answer).choices as [{ message: Row }])[0];
    expect(message).toMatchObject({
      content: null,
      reasoning: 'Hm',
      reasoning_details: [
        { type: 'reasoning.summary', summary: 'Hm' },
        { type: 'reasoning.encrypted', id: 'rs_fake1', format: 'openai-responses-v1' },
      ],
      tool_calls: [{ id: 'call_fake1', type: 'function', function: { name: 'weather' } }],
    });
    const result = { role: 'tool', tool_call_id: 'call_fake1', content: 'Sunny' };
    const heard = await gateway.ask(mode, { ...asked, messages: [...asked.messages, message, result] });
    expect(heard).toMatchObject({ content: CONTENT, finishReason: 'stop' });
    expect(gateway.alpha.requests.at(-1)?.body.input).toMatchObject([
      { role: 'user' },
      { type: 'reasoning', id: 'rs_fake1', encrypted_content: expect.any(String) },
      { type: 'function_call', call_id: 'call_fake1', name: 'weather' },
      { type: 'function_call_output', call_id: 'call_fake1', output: 'Sunny' },
    ]);
  });
});
