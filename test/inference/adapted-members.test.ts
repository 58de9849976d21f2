import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AdaptedMembers, adaptedHeader } from '../../src/inference/attempts/adapted-members.js';

describe('the members that an attempt adapts', () => {
  it('are named as the client names them, each once, and those that are left out apart', () => {
    const chat = new AdaptedMembers('chat');
    for (const [name, how] of [
      ['stop', 'left_out'],
      ['temperature', 'changed'],
      ['stop', 'changed'],
    ] as const) {
      chat.add(name, how);
    }
    expect([chat.all, chat.leftOut]).toEqual([['stop', 'temperature'], ['stop']]);
    const messages = new AdaptedMembers('messages');
    for (const name of ['stop', 'user', 'reasoning.max_tokens', 'max_completion_tokens'])
      messages.add(name, 'changed');
    expect(messages.all).toEqual(['stop_sequences', 'metadata', 'thinking.budget_tokens', 'max_tokens']);
    expect([new AdaptedMembers('chat').all, new AdaptedMembers('chat').leftOut]).toEqual([null, []]);
  });

  it('are bounded, however many and however long a client makes them', () => {
    const chat = new AdaptedMembers('chat');
    for (let n = 0; n < 10_000; n++) chat.add(`${n} ${'x'.repeat(1_000)}`, 'left_out');
    expect([chat.all?.length, chat.leftOut.length, chat.all?.[0]?.length]).toEqual([100, 100, 100]);
  });

  it('are in the header but for those that no answer shows', () => {
    const hidden = [
      'metadata',
      'user',
      'store',
      'prompt_cache_key',
      'stream_options',
      'safety_identifier',
      'cache_control',
    ];
    expect(adaptedHeader(hidden)).toBeUndefined();
    expect(adaptedHeader([...hidden, 'seed', 'anthropic-beta:a-1'])).toBe('seed, anthropic-beta:a-1');
  });

  it('are in the header as far as 1 KiB and its syntax go, whatever a client calls its members', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.stringMatching(/^\w{1,100}$/)), { maxLength: 100 }),
        (names) => {
          const header = adaptedHeader(names) ?? '';
          expect(header.length).toBeLessThanOrEqual(1024);
          expect(header).toMatch(/^[\w.:*[\], -]*$/);
          for (const name of header === '' ? [] : header.split(', ')) expect(names).toContain(name);
          expect(() => new Headers({ 'x-byway-adapted': header })).not.toThrow();
        },
      ),
    );
    expect(adaptedHeader(['seed\r\nset-cookie: a=b', 'stop'])).toBe('stop');
  });
});
