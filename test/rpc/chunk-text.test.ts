import fc from 'fast-check';
import { expect, it } from 'vitest';
import { JsonText } from '../../src/base/json/json-text.js';
import type { ChatChunk } from '../../src/formats/chat/types.js';
import { ChunkTexts } from '../../src/rpc/messages/chunk-text.js';

const HEAD = {
  id: 'gen-"1"',
  object: 'chat.completion.chunk',
  created: 1_760_000_000,
  model: 'a/b\u2028',
  provider: 'a',
} as const;

const choice = fc.record({
  index: fc.nat(3),
  delta: fc.dictionary(fc.string(), fc.jsonValue()),
  finish_reason: fc.constantFrom(null, null, null, 'stop' as const),
  native_finish_reason: fc.constant(null),
  logprobs: fc.constantFrom(null, null, null, { content: [] }),
});

const chunk: fc.Arbitrary<ChatChunk> = fc
  .record({
    choices: fc.array(choice, { maxLength: 2 }),
    more: fc.constantFrom(
      {},
      {},
      { system_fingerprint: 'fp_"a"' },
      { system_fingerprint: 'fp_b' },
      { service_tier: 'x' },
    ),
  })
  .map(({ choices, more }) => ({ ...HEAD, choices, ...more }) as unknown as ChatChunk);

it('the text of every chunk of an answer is its JSON, member for member', () => {
  fc.assert(
    fc.property(fc.array(chunk), (chunks) => {
      const texts = new ChunkTexts();
      for (const one of chunks) {
        const written = texts.textOf(one);
        const text = written instanceof JsonText ? written.text : JSON.stringify(written);
        expect(text).toBe(JSON.stringify(one));
      }
    }),
  );
});

it('ordinary chunks have a text', () => {
  const ordinary = { index: 0, delta: { content: 'Hello' }, finish_reason: null };
  const choices = [{ ...ordinary, native_finish_reason: null, logprobs: null }];
  const written = new ChunkTexts().textOf({ ...HEAD, choices } as ChatChunk);
  expect(written).toBeInstanceOf(JsonText);
});
