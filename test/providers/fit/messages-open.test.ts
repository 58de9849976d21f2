import { describe, expect, it } from 'vitest';
import { signatureOf } from '../../support/fakes/fake-anthropic/answer.js';
import { assistant, call, fittedMessages, result, text, tool, tools, user } from './messages.fixture.js';

const thought = { type: 'thinking', thinking: 'Hm', signature: signatureOf('Hm') };
const ON = { type: 'enabled', budget_tokens: 2000 };

describe('an answer that Claude is to continue', () => {
  const sentOf = (more: object, ...messages: object[]) => {
    const { body, adapted } = fittedMessages({ messages, ...more });
    return { messages: body.messages, adapted };
  };

  it('ends with no thought: one that is nothing else is left out, and that is told', () => {
    expect(sentOf({ thinking: ON }, user('One'), assistant([thought]))).toEqual({
      messages: [user([text('One')])],
      adapted: [['messages', 'changed']],
    });
    expect(
      sentOf({ thinking: ON }, user('One'), assistant([thought, text('Two'), thought])).messages,
    ).toEqual([user([text('One')]), assistant([thought, text('Two')])]);
  });

  it('has thoughts only while the model thinks', () => {
    const messages = [user('One'), assistant([thought, text('Two')])];
    expect(sentOf({}, ...messages)).toEqual({
      messages: [user('One'), assistant([text('Two')])],
      adapted: [['messages', 'changed']],
    });
    const thinking = sentOf({ thinking: ON }, ...messages);
    expect(thinking).toEqual({ messages, adapted: [] });
  });

  it('keeps its thoughts in earlier turns, and with models of others', () => {
    const earlier = [user('One'), assistant([text('Two'), thought]), user('Three')];
    expect(fittedMessages({ messages: earlier }).body.messages).toBe(earlier);
    const begun = [user('One'), assistant([thought])];
    expect(fittedMessages({ messages: begun }, { model: 'minimax-m2' }).body.messages).toBe(begun);
  });
});

describe('tools that the host runs', () => {
  const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } };
  const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] };

  it('their calls without results, and results without calls, are left out, and that is told', () => {
    const given = [user('One'), assistant([search, call('a')]), user([result('a')])];
    const { body, adapted } = fittedMessages({ messages: given, tools });
    expect(body.messages).toEqual([user([text('One')]), assistant([call('a')]), user([result('a')])]);
    expect(adapted).toEqual([['messages', 'changed']]);
    const orphan = [user('One'), assistant([found, text('Two')]), user('Three')];
    expect(fittedMessages({ messages: orphan }).body.messages).toEqual([
      user([text('One')]),
      assistant([text('Two')]),
      user([text('Three')]),
    ]);
  });

  it.each([
    ['both of which are there', [user('One'), assistant([search, found, text('Two')]), user('Three')]],
    [
      'that wait for calls of the client’s which they made',
      [
        user('One'),
        assistant([
          { ...search, name: 'code_execution' },
          { ...call('a'), caller: { type: 'code_execution_20250825', tool_id: 'srvtoolu_1' } },
        ]),
        user([result('a')]),
      ],
    ],
  ])('calls %s are sent as they came', (_, messages) => {
    const { body, adapted } = fittedMessages({ messages, tools });
    expect(body.messages).toBe(messages);
    expect(adapted).toEqual([]);
  });

  it.each(['web_fetch_20250910', 'code_execution_20250825'])(
    'Bedrock and Vertex AI are not asked for %s, which they have not',
    (type) => {
      const given = { tools: [tool(), { type, name: 'own' }] };
      expect(() => fittedMessages(given, { at: 'platform' })).toThrow(
        `tools[1].type: Claude takes no tools of type ${type}`,
      );
      expect(fittedMessages(given).adapted).toEqual([]);
    },
  );
});

describe('media', () => {
  const document = (source: object) => ({ messages: [user([{ type: 'document', source }, text('What?')])] });

  it('that are stored at Anthropic are refused by name elsewhere', () => {
    const given = document({ type: 'file', file_id: 'file_1' });
    expect(() => fittedMessages(given, { at: 'platform' })).toThrow(
      'messages[0].content[0].source: Claude takes no files that are stored there',
    );
    expect(fittedMessages(given).adapted).toEqual([]);
  });
});

it('a budget of thinking stays as it is where tokens are counted, which has no max_tokens', () => {
  const { body } = fittedMessages({ thinking: ON, max_tokens: undefined });
  expect(body.thinking).toEqual(ON);
});
