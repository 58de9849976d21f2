import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CHAT_ODDITIES, chatConversation } from '../support/conversations/chat/chat.js';
import type { Conversation } from '../support/conversations/conversation.js';
import { canonical, exactText, parseExact } from '../support/conversations/exact-json.js';
import { MESSAGES_ODDITIES, messagesConversation } from '../support/conversations/messages/messages.js';
import { lost, saidIn, saidInChat, saidInMessages } from '../support/conversations/said.js';
import { shrink } from '../support/conversations/shrink.js';

const SEEDS = 2000;

/** The members of an interface in the types of an official client. */
function membersOf(file: string, name: string): string[] {
  const types = readFileSync(`node_modules/${file}`, 'utf8');
  const body = types.split(`export interface ${name} {`)[1]?.split('\n}')[0] ?? '';
  return [...body.matchAll(/^ {4}(\w+)\??:/gm)].map(([, member]) => String(member));
}

const MEMBERS = {
  chats: membersOf('openai/resources/chat/completions/completions.d.ts', 'ChatCompletionCreateParamsBase'),
  'requests to the Messages API': membersOf(
    '@anthropic-ai/sdk/resources/messages/messages.d.ts',
    'MessageCreateParamsBase',
  ),
};

const GENERATORS: readonly (readonly [
  keyof typeof MEMBERS,
  (seed: number) => Conversation,
  readonly string[],
])[] = [
  ['chats', chatConversation, CHAT_ODDITIES],
  ['requests to the Messages API', messagesConversation, MESSAGES_ODDITIES],
];

describe.each(GENERATORS)('generated %s', (name, generate, oddities) => {
  const all = Array.from({ length: SEEDS }, (_, seed) => generate(seed));

  it('are the same for the same seed, and others for another', () => {
    expect(generate(17)).toEqual(all[17]);
    expect(new Set(all.map(({ text }) => text)).size).toBe(SEEDS);
  });

  it(`have every oddity, each at least three times in ${SEEDS} seeds`, () => {
    const counts = new Map(oddities.map((oddity) => [oddity, 0]));
    for (const oddity of all.flatMap((one) => one.oddities))
      counts.set(oddity, (counts.get(oddity) ?? 0) + 1);
    expect([...counts].filter(([, count]) => count < 3)).toEqual([]);
  });

  it('have every member that the official client has', () => {
    const seen = new Set(all.flatMap(({ body }) => Object.keys(body)));
    expect(MEMBERS[name].length).toBeGreaterThan(15);
    expect(MEMBERS[name].filter((member) => !seen.has(member))).toEqual([]);
  });

  it('are mostly the history of an agent with a few oddities, and some a jumble', () => {
    const few = all.filter((one) => one.oddities.length <= 7).length;
    expect(few / SEEDS).toBeGreaterThan(0.75);
    expect(few / SEEDS).toBeLessThan(0.95);
    const withCalls =
      all.filter(({ text }) => text.includes('"tool_call')).length +
      all.filter(({ text }) => text.includes('"tool_use"')).length;
    expect(withCalls / SEEDS).toBeGreaterThan(0.5);
  });

  it('are JSON that keeps all digits and halves of characters', () => {
    for (const { body, text } of all.slice(0, 300)) expect(exactText(parseExact(text))).toBe(exactText(body));
  });

  it('say all that they say', () => {
    const read = generate === chatConversation ? saidInChat : saidInMessages;
    for (const { body } of all.slice(0, 300)) expect(lost(read(body), read(body))).toEqual([]);
  });
});

it('a failing conversation shrinks to what makes it fail', () => {
  const fails = ({ messages }: { messages?: unknown }) =>
    JSON.stringify(messages)?.includes('"role":"user"') === true;
  const smallest = shrink(chatConversation(5).body as { messages?: unknown }, fails);
  expect(smallest).toEqual({ messages: [{ role: 'user' }] });
});

describe('what was said before and is not afterwards', () => {
  const chat = (...messages: readonly object[]) => saidInChat({ messages, tools: [] });
  const user = (content: unknown) => ({ role: 'user', content });
  const call = (id: string, name: string, args: string) => ({
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name, arguments: args } }],
  });
  const result = (tool_call_id: string, content: unknown) => ({ role: 'tool', tool_call_id, content });
  const image = (type: string, data: string) => ({
    type: 'image_url',
    image_url: { url: `data:${type};base64,${data}` },
  });

  it('is nothing where texts are joined, moved and trimmed, and halves of characters replaced', () => {
    const before = chat({ role: 'system', content: 'Be brief ' }, user('One\ud83d'), user('Two'));
    expect(lost(before, chat(user('One\ufffd\n\nTwo\n\n<system>Be brief</system>')))).toEqual([]);
  });

  it('is a text that is gone, or stands before another that it followed', () => {
    const before = chat(user('One'), { role: 'assistant', content: 'Two' });
    expect(lost(before, chat(user('One')))).toEqual(['assistant text: "Two"']);
    expect(lost(before, chat({ role: 'assistant', content: 'Two' }, user('One')))).toEqual([
      'order of assistant text: "Two"',
    ]);
  });

  it('is a call whose arguments have other digits', () => {
    const before = chat(user('x'), call('a', 'f', '{"b":1,"id":9007199254740993}'), result('a', 'ok'));
    expect(
      lost(before, chat(user('x'), call('z', 'f', '{"id": 9007199254740993, "b": 1}'), result('z', 'ok'))),
    ).toEqual([]);
    expect(
      lost(before, chat(user('x'), call('a', 'f', '{"b":1,"id":9007199254740992}'), result('a', 'ok'))),
    ).toEqual(['call 0: f {"b":1,"id":9007199254740993}']);
  });

  it('is what arguments say that are no object, unless a member of one says it now', () => {
    const before = chat(user('x'), call('a', 'f', '{"path": "/tmp'), result('a', 'ok'));
    const wrapped = JSON.stringify({ invalid: '{"path": "/tmp' });
    expect(lost(before, chat(user('x'), call('a', 'f', wrapped), result('a', 'ok')))).toEqual([]);
    expect(lost(before, chat(user('x'), call('a', 'f', '{}'), result('a', 'ok')))).toContain(
      'call 0: f {"path": "/tmp',
    );
    const list = chat(user('x'), call('a', 'f', '[1, 2]'), result('a', 'ok'));
    expect(lost(list, chat(user('x'), call('a', 'f', '{"value": [1, 2]}'), result('a', 'ok')))).toEqual([]);
    expect(lost(list, chat(user('x'), call('a', 'f', '{}'), result('a', 'ok')))).toContain('call 0: f [1,2]');
  });

  it('is one of two calls whose names became equal', () => {
    const before = chat(
      user('x'),
      call('1', 'fs.read', '{}'),
      result('1', 'r1'),
      call('2', 'fs_read', '{}'),
      result('2', 'r2'),
    );
    const named = (one: string, other: string) =>
      chat(user('x'), call('1', one, '{}'), result('1', 'r1'), call('2', other, '{}'), result('2', 'r2'));
    expect(lost(before, named('fs_read_1', 'fs_read'))).toEqual([]);
    expect(lost(before, named('fs_read', 'fs_read'))).toContain('call 1: fs_read {}');
  });

  it('is a result that went to another call', () => {
    const before = chat(
      user('x'),
      call('a', 'f', '{"n":1}'),
      call('b', 'f', '{"n":2}'),
      result('a', 'Sun'),
      result('b', 'Rain'),
    );
    const after = chat(
      user('x'),
      call('a', 'f', '{"n":1}'),
      call('b', 'f', '{"n":2}'),
      result('b', 'Sun'),
      result('a', 'Rain'),
    );
    expect(lost(before, after)).toEqual(['result of call 0: "Sun"', 'result of call 1: "Rain"']);
  });

  it('is no result that came twice or without a call, as long as its words are somewhere', () => {
    const before = chat(
      user('x'),
      call('a', 'f', '{}'),
      result('a', 'Sun'),
      result('a', 'Rain'),
      result('b', 'Snow'),
    );
    expect(
      lost(before, chat(user('x'), call('a', 'f', '{}'), result('a', 'Sun'), user('Rain, Snow'))),
    ).toEqual([]);
    expect(lost(before, chat(user('x'), call('a', 'f', '{}'), result('a', 'Sun')))).toEqual([
      'result of call 0: "Rain"',
      'result of call undefined: "Snow"',
    ]);
  });

  it('is an image whose bytes are others, whatever it is called and wherever it stands', () => {
    const before = chat(user('x'), call('a', 'f', '{}'), result('a', [image('image/png', '/9j/4AAQ')]));
    const moved = chat(
      user('x'),
      call('a', 'f', '{}'),
      result('a', 'see below'),
      user([image('image/jpeg', '/9j/4AAQ')]),
    );
    expect(lost(before, moved)).toEqual([]);
    const other = chat(
      user('x'),
      call('a', 'f', '{}'),
      result('a', 'see below'),
      user([image('image/jpeg', 'AAAA')]),
    );
    expect(lost(before, other)).toMatchObject([/^media: sha256:/]);
  });

  it('is a thought, unless that is allowed', () => {
    const before = chat(user('x'), { role: 'assistant', content: 'y', reasoning: 'Hm' });
    const after = chat(user('x'), { role: 'assistant', content: 'y' });
    expect(lost(before, after)).toEqual(['thought: "Hm"']);
    expect(lost(before, after, { thoughts: true })).toEqual([]);
  });

  it('is a tool', () => {
    const before = saidInChat({
      messages: [],
      tools: [
        { type: 'function', function: { name: 'f' } },
        { type: 'function', function: { name: 'g' } },
      ],
    });
    expect(lost(before, saidInMessages({ messages: [], tools: [{ name: 'f' }] }))).toEqual([
      'tools: 2 before, 1 after',
    ]);
  });
});

describe('the same conversation in four formats', () => {
  const data = 'iVBORw0KGgo=';
  const bodies = {
    chat: saidInChat({
      messages: [
        { role: 'system', content: 'Brief' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What?' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } },
          ],
        },
        {
          role: 'assistant',
          content: 'Look',
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"n": 1}' } }],
        },
        { role: 'tool', tool_call_id: 'a', content: '{"sun": true}' },
      ],
    }),
    messages: saidInMessages({
      system: 'Brief',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What?' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'tool_use', id: 'a', name: 'f', input: { n: 1 } },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: '{"sun": true}' }] },
      ],
    }),
    converse: saidIn('converse', {
      system: [{ text: 'Brief' }],
      messages: [
        { role: 'user', content: [{ text: 'What?' }, { image: { format: 'png', source: { bytes: data } } }] },
        {
          role: 'assistant',
          content: [{ text: 'Look' }, { toolUse: { toolUseId: 'a', name: 'f', input: { n: 1 } } }],
        },
        { role: 'user', content: [{ toolResult: { toolUseId: 'a', content: [{ json: { sun: true } }] } }] },
      ],
    }),
    gemini: saidIn('gemini', {
      systemInstruction: { parts: [{ text: 'Brief' }] },
      contents: [
        { role: 'user', parts: [{ text: 'What?' }, { inlineData: { mimeType: 'image/png', data } }] },
        { role: 'model', parts: [{ text: 'Look' }, { functionCall: { name: 'f', args: { n: 1 } } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: { sun: true } } }] },
      ],
    }),
  };

  it.each(Object.keys(bodies) as (keyof typeof bodies)[])('says the same in %s', (format) => {
    expect(lost(bodies.chat, bodies[format])).toEqual([]);
  });
});

it('canonical JSON has the digits of integers and the order of no members', () => {
  expect(canonical(parseExact('{"b": [12345678901234567890, 1.5], "a": -9007199254740993}'))).toBe(
    '{"a":-9007199254740993,"b":[12345678901234567890,1.5]}',
  );
});
