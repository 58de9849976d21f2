import { describe, expect, it } from 'vitest';
import { elements } from '../../../src/formats/json.js';
import { assistant, call, fittedMessages, result, text, tools, user } from './messages.fixture.js';

describe('media', () => {
  const image = (media_type: string, data: string) => ({
    type: 'image',
    source: { type: 'base64', media_type, data },
  });

  it('JPEG bytes that are called PNG are labelled by their bytes, in results too', () => {
    const jpeg = '/9j/4AAQSkZJRgABAQAAAQ==';
    const messages = [
      user([image('image/png', jpeg)]),
      assistant([call('a')]),
      user([result('a', [image('image/jpg', jpeg)])]),
    ];
    const sent = JSON.stringify(fittedMessages({ messages, tools }).body.messages);
    expect(sent.match(/image\/jpeg/g)).toHaveLength(2);
  });

  it('an image that Claude can’t read is refused and named by what it is', () => {
    const source = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0xLjQK' };
    expect(fittedMessages({ messages: [user([{ type: 'image', source }])] }).body.messages).toEqual([
      user([{ type: 'document', source }]),
    ]);
    expect(() => fittedMessages({ messages: [user([image('image/bmp', 'Qk0=')])] })).toThrow(
      'messages[0].content[0].source: Claude takes no images of type image/bmp',
    );
  });
});

describe('turns', () => {
  const sentOf = (...messages: object[]) => fittedMessages({ messages, tools }).body.messages;

  it.each([
    { content: undefined },
    { content: '' },
    { content: ' ' },
    { content: [] },
    { content: [text('')] },
  ])('a result that is an error and says nothing is said to be one: %j', ({ content }) => {
    const failed = (said: unknown) => user([{ ...result('a'), content: said, is_error: true }]);
    const { body, adapted } = fittedMessages({
      messages: [user('One'), assistant([call('a')]), failed(content)],
      tools,
    });
    expect(elements(body.messages)[2]).toEqual(failed('[The tool failed and said nothing.]'));
    expect(adapted).toContainEqual(['messages', 'changed']);
    const messages = [user('One'), assistant([call('a')]), user([result('a', '')])];
    expect(fittedMessages({ messages, tools }).body.messages).toBe(messages);
  });

  it('of an id that repeats, a late result goes to an earlier call where the latest has its own', () => {
    const messages = [
      user('Go'),
      assistant([call('x')]),
      user('And?'),
      assistant([call('x')]),
      user([result('x', 'second'), result('x', 'first')]),
    ];
    const { body } = fittedMessages({ messages, tools });
    const said = JSON.stringify(body.messages);
    expect(said.indexOf('"first"')).toBeLessThan(said.indexOf('And?'));
    expect(said).not.toContain('is not in this conversation');
  });

  it('a late result moves to its call, a call without one gets a note, a result of no call becomes words', () => {
    expect(
      sentOf(
        user('One'),
        assistant([call('a'), call('b')]),
        user('Wait'),
        user([result('a'), result('x', 'sun')]),
      ),
    ).toEqual(
      [
        user('One'),
        assistant([call('a'), call('b')]),
        user([
          result('a'),
          { ...result('b', '[The call was not answered.]'), is_error: true },
          text('Wait'),
          text('[Result of a call that is not in this conversation (x):]'),
          text('sun'),
        ]),
      ].map((turn) => (typeof turn.content === 'string' ? { ...turn, content: [text(turn.content)] } : turn)),
    );
  });

  it('ids are used once and have the characters that the API takes, the same in every request', () => {
    const messages = [
      user('One'),
      assistant([call('functions.look:0')]),
      user([result('functions.look:0', '1')]),
      assistant([call('call_0')]),
      user([result('call_0', '2')]),
      assistant([call('call_0')]),
      user([result('call_0', '3')]),
    ];
    const sent = sentOf(...messages) as { content: { id?: string; tool_use_id?: string }[] }[];
    const ids = sent.flatMap(({ content }) =>
      content.flatMap(({ id, tool_use_id }) => id ?? tool_use_id ?? []),
    );
    expect(ids.every((id) => /^[a-zA-Z0-9_-]+$/.test(id))).toBe(true);
    expect([ids[0], ids[2], ids[4]]).toEqual([ids[1], ids[3], ids[5]]);
    expect(new Set(ids).size).toBe(3);
    expect(sentOf(...messages)).toEqual(sent);
  });

  it('a message of the system stays in its place: as words of the user before Opus 4.8 and on other platforms', () => {
    const messages = [user('One'), { role: 'system', content: 'Hurry.' }, assistant('Two'), user('Three')];
    expect(fittedMessages({ messages }, { model: 'claude-opus-4-8' }).body.messages).toBe(messages);
    for (const host of [{}, { model: 'claude-opus-4-8', at: 'platform' as const }]) {
      expect(fittedMessages({ messages }, host).body.messages).toEqual([
        user([text('One'), text('<system-reminder>\nHurry.\n</system-reminder>')]),
        assistant([text('Two')]),
        user([text('Three')]),
      ]);
    }
  });

  it('blank texts and turns that say nothing are left out, the user begins', () => {
    expect(sentOf(assistant('One'), user([text(' '), text('Two')]), assistant(''), user('Three'))).toEqual([
      user([text('.')]),
      assistant([text('One')]),
      user([text('Two'), text('Three')]),
    ]);
  });

  it('an answer that the client began is asked for since 4.6, and ends without blanks before', () => {
    const messages = [user('One'), assistant('Two ')];
    expect(fittedMessages({ messages }).body.messages).toEqual([
      user([text('One')]),
      assistant([text('Two')]),
    ]);
    const late = fittedMessages({ messages }, { model: 'claude-opus-4-6' });
    expect((late.body.messages as object[]).at(-1)).toMatchObject({ role: 'user' });
    expect(late.adapted).toEqual([['messages', 'changed']]);
  });

  it('a turn in which tools of the host’s ran goes on', () => {
    const paused = assistant([{ type: 'server_tool_use', id: 's', name: 'web_search', input: {} }]);
    const messages = [user('One'), paused];
    expect(fittedMessages({ messages }, { model: 'claude-opus-4-6' }).body.messages).toBe(messages);
  });

  it('thoughts that Claude did not sign are left out, and nobody else’s model is asked for hers', () => {
    const foreign = { type: 'thinking', thinking: 'Hm', signature: 'gw.1.x' };
    const messages = [user('One'), assistant([foreign, text('Two')]), user('Three')];
    expect(JSON.stringify(fittedMessages({ messages }).body)).not.toContain('thinking');
    expect(fittedMessages({ messages }, { model: 'minimax-m2' }).body.messages).toBe(messages);
  });
});

describe('thinking and sampling', () => {
  it.each([
    ['claude-haiku-4-5', { type: 'adaptive' }, { type: 'enabled', budget_tokens: 4000 }],
    ['claude-opus-4-8', { type: 'enabled', budget_tokens: 2000 }, { type: 'adaptive' }],
    ['claude-opus-5-5', { type: 'disabled' }, undefined],
    ['claude-haiku-4-5', { type: 'enabled', budget_tokens: 9000 }, { type: 'enabled', budget_tokens: 7999 }],
  ])('%s takes thinking %j as %j', (model, thinking, sent) => {
    expect(fittedMessages({ thinking }, { model }).body.thinking).toEqual(sent);
  });

  it('is left out beside a forced tool, with the edits that clear thoughts', () => {
    const { body, adapted } = fittedMessages({
      tools,
      tool_choice: { type: 'any' },
      thinking: { type: 'enabled', budget_tokens: 2000 },
      context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    });
    expect(Object.keys(body)).toEqual(['max_tokens', 'messages', 'tools', 'tool_choice']);
    expect(adapted).toEqual([['thinking', 'left_out']]);
  });

  it.each([
    ['claude-opus-4-8', { temperature: 0.5, top_k: 4 }, {}],
    ['claude-haiku-4-5', { temperature: 0.5, top_p: 0.9 }, { temperature: 0.5 }],
    ['claude-haiku-4-5', { temperature: 1.5 }, { temperature: 1 }],
  ])('%s takes %j as %j, and says so', (model, sampling, sent) => {
    const { body, adapted } = fittedMessages(sampling, { model });
    const { max_tokens, messages, ...rest } = body;
    expect(rest).toEqual(sent);
    expect(adapted.length).toBeGreaterThan(0);
  });

  it('an effort that the model has not is the nearest below', () => {
    const at = (model: string) =>
      fittedMessages({ output_config: { effort: 'xhigh' } }, { model }).body.output_config;
    expect([at('claude-opus-4-8'), at('claude-sonnet-4-6'), at('claude-haiku-4-5')]).toEqual([
      { effort: 'xhigh' },
      { effort: 'high' },
      undefined,
    ]);
  });
});
