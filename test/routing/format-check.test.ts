import { describe, expect, it } from 'vitest';
import type { Format } from '../../src/catalog/types.js';
import { speakingFormat } from '../../src/routing/plan/format-check.js';
import type { NativeDemand } from '../../src/routing/types.js';
import { endpoint, provider } from './contexts.js';

function refusalAt(formats: readonly Format[], native: NativeDemand | null): string | undefined {
  const served = { endpoint: endpoint('p', { formats }), provider: provider('p', { adapter: 'openai' }) };
  return speakingFormat(served, { native })?.detail;
}

const demand = (...fields: readonly string[]): NativeDemand => ({
  format: 'messages',
  nativeOnly: fields.map((field) => ({ field, rule: 'unsupported', message: 'is not translated' })),
});

describe('an endpoint can be sent', () => {
  it.each<[string, readonly Format[], NativeDemand | null]>([
    ['a chat where it speaks them', ['chat'], null],
    ['a chat where it speaks Messages, in which a chat can be said', ['messages'], null],
    ['a chat where nothing is known of it', [], null],
    ['a request in its own format', ['messages'], demand('container')],
    ['a request that is translated to a chat', ['chat'], demand()],
  ])('%s', (_, formats, native) => {
    expect(refusalAt(formats, native)).toBeUndefined();
  });
});

describe('an endpoint is excluded', () => {
  it('which no chat can be said to, from chats and from what is translated to them', () => {
    const told =
      'The endpoint takes no chats: send it a request of its own API (embeddings), or name another model';
    expect(refusalAt(['embeddings'], null)).toBe(told);
    expect(refusalAt(['embeddings'], demand())).toBe(told);
  });

  it('which completes no texts, from text completions, whatever else it speaks', () => {
    const completion: NativeDemand = { ...demand('prompt'), format: 'completions' };
    for (const formats of [['chat'], ['messages', 'responses'], ['embeddings'], []] as const) {
      expect(refusalAt(formats, completion)).toBe(
        `The endpoint speaks no completions, and is sent nothing else in their place: name another model, or send it a request of an API that it speaks (${formats.join(' and ') || 'chat'})`,
      );
    }
    expect(refusalAt(['chat', 'completions'], completion)).toBeUndefined();
    expect(refusalAt(['completions'], null)).toMatch(/^The endpoint takes no chats: /);
  });

  it('which speaks no Messages, from requests that only those who do can serve', () => {
    expect(refusalAt(['chat'], demand('container'))).toBe(
      'The endpoint speaks no messages, which container needs.',
    );
  });
});
