import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runToEnd } from '../../../src/base/time-slices.js';
import type { ChatBody, ChatMessage, ContentPart } from '../../../src/formats/chat/types.js';
import type { Reasoning } from '../../../src/inference/reasoning/reasoning.js';
import { readConversation } from '../../../src/providers/anthropic/chat/conversation.js';
import { messagesBody } from '../../../src/providers/anthropic/chat/request.js';
import { fitMade } from '../../../src/providers/anthropic/host/fit.js';
import { AT_ANTHROPIC, messagesContract } from '../../../src/providers/anthropic/host/messages-contract.js';
import { readArguments } from '../../../src/providers/common/nested-json.js';
import { signatureOf } from '../../support/fakes/fake-anthropic/answer.js';
import { FAKE_MODELS } from '../../support/fakes/fake-anthropic/models.js';
import { violationOf } from '../../support/fakes/fake-anthropic/violations.js';

const text = (words: string) => ({ type: 'text', text: words });
type Content = string | readonly ContentPart[] | null;
const user = (content: Content): ChatMessage => ({ role: 'user', content });
const assistant = (content: Content, more: object = {}): ChatMessage => ({
  role: 'assistant',
  content,
  ...more,
});
const call = (id: string, args: unknown = '{}'): object => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: args },
});
const result = (id: string, content: Content = 'Sun'): ChatMessage => ({
  role: 'tool',
  tool_call_id: id,
  content,
});

function turnsOf(...messages: readonly ChatMessage[]) {
  return conversationOf(messages).turns;
}

function conversationOf(messages: readonly ChatMessage[]) {
  return readConversation(messages, runToEnd(readArguments({ messages })));
}

describe('messages of system and developer, which are one prompt here,', () => {
  it('are collected in their order, wherever they are, with their cache_control', () => {
    const cache_control = { type: 'ephemeral' };
    const { system, turns } = conversationOf([
      { role: 'system', content: 'One' },
      { role: 'developer', content: [{ type: 'text', text: 'Two', cache_control }] },
      user('Hi'),
      { role: 'system', content: 'Three' },
      { role: 'system', content: ' ' },
      user('again'),
    ]);
    expect(system).toEqual([text('One'), { ...text('Two'), cache_control }, text('Three')]);
    expect(turns).toEqual([{ role: 'user', content: [text('Hi'), text('again')] }]);
  });

  it('alone get a placeholder for the user', () => {
    const { system, turns } = conversationOf([{ role: 'system', content: 'One' }]);
    expect(system).toEqual([text('One')]);
    expect(turns).toEqual([{ role: 'user', content: [text('.')] }]);
  });
});

describe('turns', () => {
  it('begin with the user', () => {
    expect(turnsOf(assistant('Hi'), user('Yes')).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
    ]);
  });

  it('join consecutive messages of one role', () => {
    expect(turnsOf(user('a'), user('b'), assistant('c'), assistant('d'))).toEqual([
      { role: 'user', content: [text('a'), text('b')] },
      { role: 'assistant', content: [text('c'), text('d')] },
    ]);
  });

  it('leave out empty messages', () => {
    expect(
      turnsOf(user('a'), assistant(' \n'), assistant(null), user(''), user([text(''), text('b')])),
    ).toEqual([{ role: 'user', content: [text('a'), text('b')] }]);
  });

  it('end without white space where the model continues its own message', () => {
    expect(turnsOf(user('a'), assistant('The answer is \n')).at(-1)?.content).toEqual([
      text('The answer is'),
    ]);
    expect(turnsOf(user('a'), assistant('b \n'), user('c')).at(1)?.content).toEqual([text('b \n')]);
  });

  it('keep the refusals of an assistant as its text', () => {
    const refusal = { type: 'refusal', refusal: 'No.' };
    expect(turnsOf(user('a'), assistant([refusal]), user('b')).at(1)?.content).toEqual([text('No.')]);
  });
});

describe('calls of tools and their results', () => {
  it('become blocks; all results come first in one turn of the user', () => {
    const turns = turnsOf(
      user('a'),
      assistant('Let me see', { tool_calls: [call('t1', '{"city":"Zürich"}'), call('t2')] }),
      result('t1'),
      result('t2', [{ type: 'text', text: 'Rain' }]),
      user('and?'),
    );
    expect(turns.slice(1)).toEqual([
      {
        role: 'assistant',
        content: [
          text('Let me see'),
          { type: 'tool_use', id: 't1', name: 'weather', input: { city: 'Zürich' } },
          { type: 'tool_use', id: 't2', name: 'weather', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't1', content: [text('Sun')] },
          { type: 'tool_result', tool_use_id: 't2', content: [text('Rain')] },
          text('and?'),
        ],
      },
    ]);
  });

  it('have results first even with text in between', () => {
    const [, , last] = turnsOf(
      user('a'),
      assistant(null, { tool_calls: [call('t1')] }),
      user('wait'),
      result('t1'),
    );
    expect(last?.content.map(({ type }) => type)).toEqual(['tool_result', 'text']);
  });

  it('may have an empty result', () => {
    const [, , last] = turnsOf(user('a'), assistant('', { tool_calls: [call('t1')] }), result('t1', ''));
    expect(last?.content).toEqual([{ type: 'tool_result', tool_use_id: 't1' }]);
  });

  it.each([
    ['', {}],
    [' ', {}],
    [undefined, {}],
    [null, {}],
    ['{"a":1}', { a: 1 }],
    [{ a: 1 }, { a: 1 }],
    ['{"a":', { arguments: '{"a":' }],
    ['[1]', { arguments: '[1]' }],
    ['"x"', { arguments: '"x"' }],
    ['null', { arguments: 'null' }],
  ])('turn arguments %j into the input %j', (args, input) => {
    const [, turn] = turnsOf(user('a'), assistant(null, { tool_calls: [call('t1', args)] }));
    expect(turn?.content[0]?.input).toEqual(input);
  });

  it('have ids of allowed characters, the same in call and result', () => {
    const [, turn, answer] = turnsOf(
      user('a'),
      assistant(null, { tool_calls: [call('functions.weather:0')] }),
      result('functions.weather:0'),
    );
    expect(turn?.content[0]?.id).toBe('functions_weather_0');
    expect(answer?.content[0]?.tool_use_id).toBe('functions_weather_0');
  });
});

describe('thoughts that come back (reasoning_details)', () => {
  const format = 'anthropic-claude-v1';
  const thought = { type: 'thinking', thinking: 'Hm, well', signature: 's1' };
  const content = (reasoning_details: unknown) =>
    turnsOf(user('a'), assistant('b', { reasoning: 'Hm, well', reasoning_details }), user('c')).at(1)
      ?.content;

  it('come before everything else, in their order', () => {
    const details = [
      { type: 'reasoning.text', text: 'Hm, well', signature: 's1', format, index: 0 },
      { type: 'reasoning.encrypted', data: 'xyz', format, index: 1 },
    ];
    expect(content(details)).toEqual([thought, { type: 'redacted_thinking', data: 'xyz' }, text('b')]);
  });

  it('are put together from the pieces of a stream', () => {
    const details = [
      { type: 'reasoning.text', text: 'Hm,', format, index: 0 },
      { type: 'reasoning.text', text: ' well', format, index: 0 },
      { type: 'reasoning.text', signature: 's1', format, index: 0 },
      { type: 'reasoning.text', text: 'And', format, index: 1 },
      { type: 'reasoning.text', signature: 's2', format, index: 1 },
    ];
    expect(content(details)).toEqual([
      thought,
      { type: 'thinking', thinking: 'And', signature: 's2' },
      text('b'),
    ]);
  });

  it.each([
    ['without a signature', [{ type: 'reasoning.text', text: 'Hm', format }]],
    ['of another format', [{ type: 'reasoning.text', text: 'Hm', signature: 's', format: 'other-v1' }]],
    ['of another kind', [{ type: 'reasoning.summary', summary: 'Hm', format }]],
    ['that are none', 'Hm'],
    ['that are nothing', [null, 7]],
  ])('are left out %s', (_, details) => {
    expect(content(details)).toEqual([text('b')]);
  });
});

const words = fc.constantFrom('', ' ', '\n', 'Hello', 'Grüezi 👋🏽', ' trailing ');
const parts = fc.array(fc.record({ type: fc.constant('text'), text: words }), { maxLength: 3 });
const content = fc.oneof(words, parts, fc.constant(null));
const details = fc.array(
  words.map((thinking) => ({ type: 'reasoning.text', text: thinking, signature: signatureOf(thinking) })),
  { maxLength: 2 },
);
const round: fc.Arbitrary<ChatMessage[]> = fc
  .record({
    content: content,
    reasoning_details: details,
    ids: fc.uniqueArray(fc.constantFrom('a', 'b:1', 'c.d')),
  })
  .map(({ ids, content, reasoning_details }) => [
    assistant(content, {
      reasoning_details,
      ...(ids.length > 0 && { tool_calls: ids.map((id) => call(id)) }),
    }),
    ...ids.map((id) => result(id)),
  ]);
const plain: fc.Arbitrary<ChatMessage[]> = fc
  .record({ role: fc.constantFrom('user', 'system', 'developer', 'assistant'), content: content })
  .map((message) => [message]);
const wellFormed = fc.array(fc.oneof(round, plain), { maxLength: 8 }).map((some) => some.flat());

const tool = { type: 'function', function: { name: 'weather', parameters: { properties: {} } } };
const options: fc.Arbitrary<Partial<ChatBody>> = fc.record(
  {
    temperature: fc.double({ min: 0, max: 2, noNaN: true }),
    top_p: fc.double({ min: 0, max: 1, noNaN: true }),
    top_k: fc.nat(100),
    max_tokens: fc.integer({ min: 1, max: 5000 }),
    stop: fc.oneof(words, fc.array(words, { maxLength: 3 })),
    tools: fc.constant([tool]),
    tool_choice: fc.constantFrom('auto', 'none', { type: 'function', function: { name: 'weather' } }),
    parallel_tool_calls: fc.boolean(),
    user: words,
    service_tier: fc.constantFrom('auto', 'default', 'flex', 'priority'),
    response_format: fc.constantFrom({ type: 'json_object' }, { type: 'text' }),
    n: fc.constant(2),
    seed: fc.nat(),
    logit_bias: fc.constant({}),
    frequency_penalty: fc.constant(1),
  },
  { requiredKeys: [] },
);
const reasonings: fc.Arbitrary<Reasoning | null> = fc.option(
  fc.record({
    isEnabled: fc.boolean(),
    effort: fc.constantFrom('max', 'xhigh', 'high', 'medium', 'low', 'minimal', null),
    maxTokens: fc.option(fc.integer({ min: 1, max: 6000 })),
  }),
);

/** No translation avoids this: a forced tool call of a model that always thinks. */
const CONTRADICTION = /tool_choice forces tool use/;

describe('any request', () => {
  it('becomes a body that the API takes', () => {
    fc.assert(
      fc.property(
        wellFormed,
        options,
        reasonings,
        fc.constantFrom(...FAKE_MODELS),
        (messages, more, reasoning, model) => {
          const endpoint = { upstreamModelId: model, maxCompletionTokens: null };
          const chat = { messages, ...more };
          const made = messagesBody(chat, reasoning, endpoint, runToEnd(readArguments(chat)));
          const contract = messagesContract({ upstreamModelId: model, modelId: model }, AT_ANTHROPIC);
          const body = fitMade(made, { provider: { name: 'Claude' } }, contract, []);
          const sent = JSON.parse(JSON.stringify({ model, ...body }));
          const violation = violationOf(sent, '2023-06-01');
          if (violation !== undefined && !CONTRADICTION.test(violation)) expect(violation).toBeUndefined();
        },
      ),
      { numRuns: 1000 },
    );
  });
});
