import { describe, expect, it } from 'vitest';
import type { ChatBody } from '../../../src/formats/chat/types.js';
import type { Reasoning } from '../../../src/inference/reasoning/reasoning.js';
import { messagesBody } from '../../../src/providers/anthropic/chat/request.js';
import { signatureOf } from '../../support/fakes/fake-anthropic/answer.js';
import { assembled, startTable } from './adapter.fixture.js';

const messages = [{ role: 'user', content: 'Hello' }];
const weather = { type: 'function', function: { name: 'weather' } };

function sent(model: string, reasoning: Partial<Reasoning> | null, body: Partial<ChatBody> = {}) {
  const pending = reasoning && { isEnabled: true, effort: null, maxTokens: null, ...reasoning };
  const { thinking, output_config, temperature, top_p, top_k } = messagesBody(
    { messages, max_tokens: 10_000, ...body },
    pending,
    { upstreamModelId: model, maxCompletionTokens: null },
    new Map(),
  );
  return { thinking, output_config, temperature, top_p, top_k };
}

const budget = (budget_tokens: number) => ({ thinking: { type: 'enabled', budget_tokens } });
const adaptive = (effort?: string) => ({
  thinking: { type: 'adaptive' },
  ...(effort && { output_config: { effort } }),
});
const shown = (effort?: string) => ({
  ...adaptive(effort),
  thinking: { type: 'adaptive', display: 'summarized' },
});
const disabled = { thinking: { type: 'disabled' } };

describe('thinking, by the model’s generation,', () => {
  it.each<[string, Partial<Reasoning> | null, object]>([
    ['claude-3-5-sonnet-20241022', { effort: 'high' }, {}],
    ['claude-haiku-4-5', null, {}],
    ['claude-haiku-4-5', { isEnabled: false }, {}],
    ['claude-haiku-4-5', {}, budget(5000)],
    ['claude-haiku-4-5', { effort: 'max' }, budget(9500)],
    ['claude-haiku-4-5', { effort: 'xhigh' }, budget(9500)],
    ['claude-haiku-4-5', { effort: 'high' }, budget(8000)],
    ['claude-haiku-4-5', { effort: 'low' }, budget(2000)],
    ['claude-haiku-4-5', { effort: 'minimal' }, budget(1024)],
    ['claude-haiku-4-5', { maxTokens: 3000 }, budget(3000)],
    ['claude-haiku-4-5', { maxTokens: 10 }, budget(1024)],
    ['claude-haiku-4-5', { maxTokens: 20_000 }, budget(9999)],
    ['claude-3-7-sonnet-20250219', { effort: 'medium' }, budget(5000)],
    ['claude-opus-4@20250514', { effort: 'medium' }, budget(5000)],
    ['kimi-k2', { effort: 'medium' }, budget(5000)],
    ['claude-sonnet-4-6', null, {}],
    ['claude-sonnet-4-6', { isEnabled: false }, {}],
    ['claude-sonnet-4-6', {}, adaptive()],
    ['claude-sonnet-4-6', { effort: 'minimal' }, adaptive('low')],
    ['claude-sonnet-4-6', { effort: 'xhigh' }, adaptive('high')],
    ['claude-sonnet-4-6', { effort: 'max' }, adaptive('max')],
    ['claude-sonnet-4-6', { maxTokens: 3000 }, budget(3000)],
    ['claude-opus-4-8', { effort: 'xhigh' }, shown('xhigh')],
    ['claude-opus-4-8', { maxTokens: 3000 }, shown()],
    ['claude-opus-4-8', { isEnabled: false }, {}],
    ['us.anthropic.claude-opus-4-7-v1:0', {}, shown()],
    ['claude-sonnet-5', null, {}],
    ['claude-sonnet-5', { isEnabled: false, effort: 'high' }, disabled],
    ['claude-haiku-5-5', { isEnabled: false }, disabled],
    ['claude-opus-5-5', { isEnabled: false }, { output_config: { effort: 'low' } }],
    ['claude-fable-5', { isEnabled: false }, { output_config: { effort: 'low' } }],
    ['claude-mythos-preview', { effort: 'medium' }, shown('medium')],
  ])('%s with %j', (model, reasoning, expected) => {
    expect(sent(model, reasoning)).toEqual(expected);
  });

  it('is left out where max_tokens is too low', () => {
    expect(sent('claude-haiku-4-5', { effort: 'high' }, { max_tokens: 1024 })).toEqual({});
    expect(sent('claude-haiku-4-5', { effort: 'high' }, { max_tokens: 1025 })).toEqual(budget(1024));
  });

  it('excludes temperature, and a low top_p', () => {
    const sampling = { temperature: 0.3, top_k: 4 };
    expect(sent('claude-haiku-4-5', { maxTokens: 3000 }, { ...sampling, top_p: 0.9 })).toEqual(budget(3000));
    expect(sent('claude-haiku-4-5', { maxTokens: 3000 }, { ...sampling, top_p: 0.97 })).toEqual({
      ...budget(3000),
      top_p: 0.97,
    });
    expect(sent('claude-haiku-4-5', { isEnabled: false }, sampling)).toEqual(sampling);
  });

  it.each([
    ['claude-haiku-4-5', {}],
    ['claude-sonnet-4-6', {}],
    ['claude-sonnet-5', disabled],
  ])('gives way to a forced tool call, at %s', (model, expected) => {
    for (const tool_choice of ['required', weather]) {
      expect(sent(model, { effort: 'high' }, { tools: [weather], tool_choice })).toEqual(expected);
    }
    expect(sent(model, { effort: 'high' }, { tools: [weather] }).thinking).toBeDefined();
  });

  it('does not begin in the middle of a turn, nor where the answer is prefilled', () => {
    const calls = [{ id: 't', function: { name: 'weather', arguments: '{}' } }];
    const signed = [{ type: 'reasoning.text', text: 'Hm', signature: signatureOf('Hm') }];
    const turn = (reasoning_details: unknown) => [
      ...messages,
      { role: 'assistant', content: null, tool_calls: calls, reasoning_details },
      { role: 'tool', tool_call_id: 't', content: 'Sun' },
    ];
    const isThinking = (message: ChatBody['messages']) =>
      sent('claude-haiku-4-5', { effort: 'high' }, { messages: message }).thinking !== undefined;
    expect(isThinking(turn(undefined))).toBe(false);
    expect(isThinking(turn(signed))).toBe(true);
    expect(isThinking([...turn(signed), ...turn(undefined).slice(1)])).toBe(true);
    expect(isThinking([...turn(undefined), { role: 'assistant', content: 'It shines' }, ...messages])).toBe(
      true,
    );
    expect(isThinking([...messages, { role: 'assistant', content: 'The' }])).toBe(false);
  });
});

describe('thoughts over several turns with tools', () => {
  it.each(['claude-haiku-4-5', 'claude-sonnet-4-6', 'claude-opus-4-8', 'claude-fable-5'])(
    'are sent back unchanged to %s, in one piece and streamed',
    async (model) => {
      const { fake, complete, stream } = await startTable({}, model);
      const reasoning = { isEnabled: true, effort: 'low', maxTokens: null } as const;
      const options = { tools: [weather], max_tokens: 8000 };
      const whole = await complete({ body: { messages, ...options }, reasoning });
      const { events } = await stream({ body: { messages, ...options }, reasoning });
      for (const message of [whole.choices[0]?.message, assembled(events)]) {
        expect(message?.reasoning).toBe('Hm, well');
        const next = [
          ...messages,
          { role: 'assistant', ...message, content: null },
          { role: 'tool', tool_call_id: 'toolu_fake1', content: 'Sun' },
        ];
        const { choices } = await complete({ body: { messages: next, ...options }, reasoning });
        expect(choices[0]?.message.content).toBe('Grüezi mitenand 👋🏽!');
        expect(fake.requests.at(-1)?.body.messages[1]).toEqual({
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm, well', signature: signatureOf('Hm, well') },
            { type: 'tool_use', id: 'toolu_fake1', name: 'weather', input: { city: 'Zürich' } },
          ],
        });
        expect(fake.requests.at(-1)?.body.thinking).toBeDefined();
      }
    },
  );

  it('are refused when somebody changes them, and the refusal is reported', async () => {
    const { complete } = await startTable({}, 'claude-sonnet-4-6');
    const details = [{ type: 'reasoning.text', text: 'Changed', signature: signatureOf('Hm') }];
    const changed = [
      ...messages,
      { role: 'assistant', content: 'a', reasoning_details: details },
      ...messages,
    ];
    await expect(complete({ body: { messages: changed } })).rejects.toMatchObject({
      kind: 'invalid_request',
      message: expect.stringContaining('signature'),
    });
  });
});
