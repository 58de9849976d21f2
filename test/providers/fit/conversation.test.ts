import { describe, expect, it } from 'vitest';
import type { ChatContract } from '../../../src/catalog/chat-contract.js';
import type { ChatMessage } from '../../../src/formats/chat/types.js';
import { call, calls, contractAt, fitted, messagesOf, result, tool, user } from './chat.fixture.js';

describe('a chat that fits', () => {
  it.each(['openai', 'mistral', 'deepseek', 'groq', 'nobody'])('is sent as it came, at %s', (slug) => {
    const body = {
      messages: [user(), calls('abcdefgh1', 'abcdefgh2'), result('abcdefgh2'), result('abcdefgh1')],
      tools: [tool()],
    };
    const { body: sent, adapted } = fitted(body, contractAt(slug));
    expect(sent.messages).toBe(body.messages);
    expect(sent.tools).toBe(body.tools);
    expect(adapted).toEqual([]);
  });
});

describe('calls and their results', () => {
  const paired = (...messages: ChatMessage[]) =>
    fitted(messagesOf(...messages), { pairedCalls: true }).body.messages;

  it('a late result moves to its call', () => {
    expect(paired(user(), calls('a', 'b'), result('a'), user('wait'), result('b'))).toEqual([
      user(),
      calls('a', 'b'),
      result('a'),
      result('b'),
      user('wait'),
    ]);
  });

  it('a call that was never answered gets a note as its result, also at the end', () => {
    const note = result('b', '[The call was not answered.]');
    expect(paired(user(), calls('a', 'b'), result('a'), user('go on'))).toEqual([
      user(),
      calls('a', 'b'),
      result('a'),
      note,
      user('go on'),
    ]);
    expect(paired(user(), calls('b'))).toEqual([user(), calls('b'), note]);
  });

  it('a result of no call becomes words of the user', () => {
    expect(paired(user(), result('x', 'sun'))).toEqual([
      user(),
      user('[Result of a call that is not in this conversation (x):]\nsun'),
    ]);
  });

  it('of an id that repeats, a late result goes to an earlier call where the latest has its own', () => {
    const messages = [
      user(),
      calls('x'),
      calls('x'),
      result('x', 'second'),
      user('Go'),
      result('x', 'first'),
    ];
    const { body } = fitted({ messages }, contractAt('openai'));
    const [, one, first, other, second] = body.messages;
    expect([first?.content, second?.content]).toEqual(['first', 'second']);
    expect([first?.tool_call_id, second?.tool_call_id]).toEqual([
      one?.tool_calls?.[0]?.id,
      other?.tool_calls?.[0]?.id,
    ]);
    expect(body.messages).toHaveLength(6);
  });

  it('ids that repeat are told apart, each result with the latest call of its id', () => {
    const sent = paired(
      user(),
      calls('call_0'),
      result('call_0', '1'),
      calls('call_0'),
      result('call_0', '2'),
    );
    const ids = sent.flatMap(({ tool_calls, tool_call_id }) => tool_calls?.[0]?.id ?? tool_call_id ?? []);
    expect(ids[0]).toBe(ids[1]);
    expect(ids[2]).toBe(ids[3]);
    expect(ids[0]).not.toBe(ids[2]);
    expect(sent.filter(({ role }) => role === 'tool').map(({ content }) => content)).toEqual(['1', '2']);
  });

  it('two calls of one message that share an id have ids of their own', () => {
    const sent = paired(user(), calls('a', 'a'), result('a', '1'), result('a', '2'));
    const [one, other] = sent[1]?.tool_calls ?? [];
    expect(one?.id).not.toBe(other?.id);
    expect(sent.slice(2).map(({ tool_call_id }) => tool_call_id)).toEqual([one?.id, other?.id]);
  });

  it('ids of others are nine letters and digits at Mistral, the same in every request', () => {
    const messages = [
      user(),
      calls('toolu_01A09q90qw90lq917835lq9'),
      result('toolu_01A09q90qw90lq917835lq9'),
    ];
    const [, called, answered] = fitted({ messages }, contractAt('mistral')).body.messages;
    expect(called?.tool_calls?.[0]?.id).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(answered?.tool_call_id).toBe(called?.tool_calls?.[0]?.id);
    expect(fitted({ messages }, contractAt('mistral')).body.messages[1]).toEqual(called);
  });

  it('ids that are too long stay distinct, whatever they begin with', () => {
    const start = 'x'.repeat(64);
    const messages = [user(), calls(`${start}1`, `${start}2`), result(`${start}2`), result(`${start}1`)];
    const [, called, second, first] = fitted({ messages }, { pairedCalls: true, maxCallId: 64 }).body
      .messages;
    const ids = called?.tool_calls?.map(({ id }) => id) ?? [];
    expect(new Set(ids).size).toBe(2);
    expect([first?.tool_call_id, second?.tool_call_id]).toEqual(ids);
  });
});

describe('names of tools', () => {
  const strict = { toolNames: 'plain', toolNameStart: 'word', maxToolName: 64 } as const;

  it.each([
    ['mcp.server/read file', 'mcp_server_read_file'],
    ['2fast', '_2fast'],
    ['größe', 'gr__e'],
  ])('%s is sent as %s wherever it stands, and known again', (name, taken) => {
    const body = {
      messages: [
        user(),
        { role: 'assistant', content: null, tool_calls: [call('a', name)] },
        { ...result('a'), name },
      ],
      tools: [tool(name)],
      tool_choice: { type: 'function', function: { name } },
    };
    const { body: sent, names } = fitted(body, strict);
    expect(JSON.stringify(sent)).not.toContain(JSON.stringify(name));
    expect(sent.tools?.[0]?.function?.name).toBe(taken);
    expect(sent.messages[1]?.tool_calls?.[0]?.function?.name).toBe(taken);
    expect(sent.messages[2]?.name).toBe(taken);
    expect(sent.tool_choice).toEqual({ type: 'function', function: { name: taken } });
    expect(names.get(taken)).toBe(name);
  });

  it('names that would become the same, or are cut to the same, stay distinct', () => {
    const long = 'n'.repeat(64);
    const given = ['a.b', 'a:b', 'a_b', `${long}1`, `${long}2`];
    const { body, names } = fitted({ tools: given.map((name) => tool(name)) }, strict);
    const sent = body.tools?.map((one) => String(one.function?.name)) ?? [];
    expect(new Set(sent).size).toBe(given.length);
    expect(sent.every((name) => /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/.test(name))).toBe(true);
    expect(sent.map((name) => names.get(name) ?? name)).toEqual(given);
  });
});

describe('turns', () => {
  it('a user who speaks after a result of a tool is heard after the assistant, at Mistral', () => {
    const messages = [user(), calls('abcdefgh1'), result('abcdefgh1'), user('And?')];
    const { body, adapted } = fitted({ messages }, contractAt('mistral'));
    expect(body.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
    expect(adapted).toEqual([['messages', 'changed']]);
  });

  it('a beginning of the answer is marked as one at Mistral, and asked for at Perplexity', () => {
    const messages = [user(), { role: 'assistant', content: 'The sun' }];
    expect(fitted({ messages }, contractAt('mistral')).body.messages[1]).toMatchObject({ prefix: true });
    const asked = fitted({ messages }, contractAt('perplexity')).body.messages;
    expect(asked.at(-1)).toMatchObject({ role: 'user', content: expect.stringContaining('Continue') });
  });

  it('messages of one role become one where roles take turns', () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'system', content: 'Be kind.' },
      user('One'),
      user([{ type: 'text', text: 'Two' }]),
    ];
    expect(fitted({ messages }, contractAt('perplexity')).body.messages).toEqual([
      { role: 'system', content: 'Be brief.\n\nBe kind.' },
      user([
        { type: 'text', text: 'One' },
        { type: 'text', text: 'Two' },
      ]),
    ]);
  });

  it('a system message amid the conversation stays in its place', () => {
    const messages = [user(), { role: 'system', content: 'Hurry.' }, user('Go')];
    expect(fitted({ messages }, { system: 'start' }).body.messages[1]).toEqual(
      user('<system-reminder>\nHurry.\n</system-reminder>'),
    );
  });
});

describe('contents', () => {
  it('results in parts are a text at DeepSeek', () => {
    const messages = [
      user(),
      calls('a'),
      {
        ...result('a'),
        content: [
          { type: 'text', text: 'one' },
          { type: 'text', text: 'two' },
        ],
      },
    ];
    expect(fitted({ messages }, contractAt('deepseek')).body.messages[2]?.content).toBe('one\ntwo');
  });

  it('an image where the host takes texts alone is refused, and named', () => {
    const image = { type: 'image_url', image_url: { url: 'https://host/x.png' } };
    expect(() => fitted({ messages: [user([image])] }, contractAt('deepseek'))).toThrow(
      /^messages\[0\]\.content\[0\]: OpenAI takes no part of type image_url, but text/,
    );
  });

  it('an image is labelled by its bytes, and refused where the host can’t read it', () => {
    const at = (url: string, images: ChatContract['images']) =>
      fitted({ messages: [user([{ type: 'image_url', image_url: { url } }])] }, { images }).body.messages[0]
        ?.content;
    expect(at('data:image/png;base64,/9j/4AAQSkZJRg==', ['image/jpeg'])).toEqual([
      { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,/9j/4AAQSkZJRg==' } },
    ]);
    expect(() => at('data:image/png;base64,R0lGODlhAQABAAAA', ['image/png'])).toThrow(/image\/gif/);
  });

  it('a document that is sent as an image is a file, or text where the host takes no files', () => {
    const at = (url: string, contract: Partial<ChatContract>) =>
      fitted({ messages: [user([{ type: 'image_url', image_url: { url } }])] }, contract).body.messages[0]
        ?.content;
    const images = ['image/png'] as const;
    const pdf = 'data:application/pdf;base64,JVBERi0xLjQK';
    expect(at(pdf, { images })).toEqual([
      { type: 'file', file: { filename: 'document.pdf', file_data: pdf } },
    ]);
    expect(() => at(pdf, { images, userParts: ['text', 'image_url'] })).toThrow(/no part of type file/);
    const userParts = ['text', 'image_url'];
    expect(at('data:text/plain;base64,SGVsbG8=', { images, userParts })).toEqual([
      { type: 'text', text: '[document.txt]\nHello' },
    ]);
  });

  it.each(['groq', 'cerebras', 'mistral', 'openai'])(
    'what other hosts said of their thoughts is left out at %s, which refuses it',
    (slug) => {
      const said = { role: 'assistant', content: 'Hi', reasoning_content: 'Hm', thinking_blocks: [] };
      const { body, adapted } = fitted({ messages: [user(), said, user()] }, contractAt(slug));
      expect(body.messages[1]).toEqual({ role: 'assistant', content: 'Hi' });
      expect(adapted).toContainEqual(['messages.reasoning_content', 'left_out']);
    },
  );
});

describe('Google’s signatures of thoughts over OpenAI’s format', () => {
  const at = (messages: readonly ChatMessage[]) =>
    fitted({ messages }, contractAt('google-ai-studio', 'google/gemini-3-pro-preview')).body.messages;
  const signature = { google: { thought_signature: 'signed' } };

  it('come back from the member that the client kept, or from `reasoning_details`', () => {
    const kept = { ...calls('a'), tool_calls: [{ ...call('a'), extra_content: signature }] };
    expect(at([user(), kept, result('a')])[1]).toEqual(kept);
    const detail = {
      type: 'reasoning.encrypted',
      data: 'signed',
      id: 'a',
      format: 'google-gemini-v1',
      index: 0,
    };
    const [, sent] = at([user(), { ...calls('a'), reasoning_details: [detail] }, result('a')]);
    expect(sent?.tool_calls?.[0]?.extra_content).toEqual(signature);
  });

  it('are replaced by the documented placeholder on the first call where nobody has one', () => {
    const [, sent] = at([user(), calls('a', 'b'), result('a'), result('b')]);
    expect(sent?.tool_calls?.map(({ extra_content }) => extra_content)).toEqual([
      { google: { thought_signature: 'skip_thought_signature_validator' } },
      undefined,
    ]);
  });

  it('go nowhere else', () => {
    const kept = { ...calls('abcdefgh1'), tool_calls: [{ ...call('abcdefgh1'), extra_content: signature }] };
    const messages = [user(), kept, result('abcdefgh1')];
    expect(fitted({ messages }, contractAt('mistral')).body.messages[1]?.tool_calls).toEqual([
      call('abcdefgh1'),
    ]);
  });
});
