import { describe, expect, it } from 'vitest';
import { signatureOf } from '../../support/fakes/fake-anthropic/answer.js';
import { assistant, call, fittedMessages, result, text, tools, user } from './messages.fixture.js';

const CHANGED = [['messages', 'changed']];

describe('members that Messages does not have', () => {
  it('of blocks are left out, inside results too, and that is told', () => {
    const thought = { type: 'thinking', thinking: 'Hm', signature: signatureOf('Hm') };
    const { body, adapted } = fittedMessages({
      tools,
      messages: [
        user([{ ...text('One'), id: 'x' }]),
        assistant([
          { ...thought, index: 0 },
          { ...call('a'), index: 1, text: '', partial_json: '{}' },
        ]),
        user([{ ...result('a', [{ ...text('Two'), annotations: {} }]), name: 'f' }]),
      ],
    });
    expect(body.messages).toEqual([
      user([text('One')]),
      assistant([thought, call('a')]),
      user([result('a', [text('Two')])]),
    ]);
    expect(adapted).toEqual(CHANGED);
  });

  it('of messages are left out, but for those that a message of the system has', () => {
    const { body, adapted } = fittedMessages(
      {
        messages: [
          { ...user('One'), name: 'bob', id: '1' },
          { ...assistant('Two'), stop_reason: 'end_turn', usage: {} },
          user('Three'),
          { role: 'system', content: 'Four', clear_at: 'x' },
        ],
      },
      { model: 'claude-opus-4-8' },
    );
    expect(body.messages).toEqual([
      user('One'),
      assistant('Two'),
      user('Three'),
      { role: 'system', content: 'Four', clear_at: 'x' },
    ]);
    expect(adapted).toEqual(CHANGED);
  });

  it('are citations that cite nothing, at platforms alone', () => {
    const messages = [user('One'), assistant([text('Two', { citations: [] })]), user('Three')];
    expect(fittedMessages({ messages }).body.messages).toBe(messages);
    const { body, adapted } = fittedMessages({ messages }, { at: 'platform' });
    expect(body.messages).toEqual([user('One'), assistant([text('Two')]), user('Three')]);
    expect(adapted).toEqual(CHANGED);
  });

  it('of blocks that nobody knows here are kept', () => {
    const messages = [user([{ type: 'novelty', shade: 'blue' }])];
    expect(fittedMessages({ messages }).body.messages).toBe(messages);
  });

  it('of tools and metadata are left out, an id of a user too that is too long', () => {
    const messages = [user('One')];
    const tool = { name: 'f', input_schema: { type: 'object', properties: {} } };
    const given = { ...tool, annotations: { readOnlyHint: true }, title: 'F' };
    const { body, adapted } = fittedMessages({
      messages,
      tools: [given],
      metadata: { user_id: 'a'.repeat(257), session: 'b' },
    });
    expect(body).toMatchObject({ metadata: {} });
    expect(body.tools).toEqual([tool]);
    expect(adapted).toEqual([
      ['tools', 'changed'],
      ['metadata.user_id', 'left_out'],
      ['metadata.session', 'left_out'],
    ]);
    const metadata = { user_id: 'a'.repeat(256) };
    expect(fittedMessages({ messages, metadata }).body.metadata).toBe(metadata);
  });
});

describe('a prompt', () => {
  const messages = [user('One')];
  const marked = { ...text('Brief'), cache_control: { type: 'ephemeral' } };
  const blank = { ...text(' '), cache_control: { type: 'ephemeral' } };

  it('has no blocks that say nothing, and that is told', () => {
    const { body, adapted } = fittedMessages({ messages, system: [marked, blank, text('')] });
    expect(body.system).toEqual([marked]);
    expect(adapted).toEqual([['system', 'changed']]);
  });

  it('is left out where it says nothing', () => {
    const { body, adapted } = fittedMessages({ messages, system: [blank] });
    expect(body).not.toHaveProperty('system');
    expect(adapted).toEqual([['system', 'left_out']]);
  });
});
