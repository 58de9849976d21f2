import type { DescMessage, JsonValue } from '@bufbuild/protobuf';
import { createValidator } from '@bufbuild/protovalidate';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChatRequestSchema } from '../../gen/byway/v1/chat_pb.js';
import { CreateKeyRequestSchema } from '../../gen/byway/v1/keys_pb.js';
import { conforms } from '../../src/protobuf/conforms.js';
import { readMessage } from '../../src/protobuf/read.js';
import { writeMessage } from '../../src/protobuf/write.js';
import { messageJson, textsOf } from '../fuzz/arbitraries.js';

const TEXTS = textsOf({
  texts: ['test/m1', 'user', 'text'],
  byName: { role: ['user', 'assistant'] },
  credentials: [],
});
const MESSAGES = [{ role: 'user', content: 'Hello' }];

describe('JSON that conforms to a message', () => {
  it.each<[string, object]>([
    ['a plain chat', { model: 'a/b', messages: MESSAGES }],
    ['members that nobody knows', { model: 'a/b', messages: MESSAGES, seed: 7, logit_bias: { 5: -1 } }],
    ['content in parts', { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] }],
    [
      'a tool call without content',
      {
        messages: [
          ...MESSAGES,
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'x', function: { name: 'f', arguments: '{}' } }],
          },
        ],
      },
    ],
    [
      'words, bounds and prices',
      { messages: MESSAGES, temperature: 2, provider: { sort: 'price', max_price: { prompt: '1' } } },
    ],
  ])('is told to: %s', (_, json) => {
    expect(conforms(ChatRequestSchema, json as JsonValue)).toBe(true);
  });

  it.each<[string, object]>([
    ['a member of the wrong type', { messages: MESSAGES, stream: 'yes' }],
    ['a rule that is broken', { messages: MESSAGES, temperature: 2.5 }],
    ['a word that is none', { messages: MESSAGES, provider: { sort: 'cheapness' } }],
    ['a required member that is missing', { messages: [{ content: 'Hello' }] }],
    ['a list that must not be empty and is missing', { model: 'a/b' }],
    ['an unknown member where all are known', { messages: MESSAGES, provider: { sorted: true } }],
    ['half a character', { messages: [{ role: 'user', content: '\ud800' }] }],
    ['null for a member that answers leave out', { messages: MESSAGES, stop: null }],
  ])('is not told to: %s', (_, json) => {
    expect(conforms(ChatRequestSchema, json as JsonValue)).toBe(false);
  });

  it.each<[string, DescMessage]>([
    ['a chat', ChatRequestSchema],
    ['a message with rules that are not looked at', CreateKeyRequestSchema],
  ])('is what the strict reader, the contract and the writer agree with: %s', (_, desc) => {
    const validator = createValidator();
    let told = 0;
    fc.assert(
      fc.property(messageJson(desc, TEXTS, 0), fc.nat(), (whole, nth) => {
        const json = withoutOne(whole, nth);
        if (!conforms(desc, json)) return;
        told++;
        const read = readMessage(desc, json);
        if (!read.ok) throw new Error(JSON.stringify(read.violations));
        expect(validator.validate(desc, read.message)).toMatchObject({ kind: 'valid' });
        expect(withoutNull(writeMessage(desc, read.message))).toEqual(withoutNull(json));
      }),
      { numRuns: 3_000 },
    );
    expect(told).toBeGreaterThan(desc === ChatRequestSchema ? 300 : 0);
  });
});

/** The JSON, half of the time without one of its members. */
function withoutOne(json: JsonValue, nth: number): JsonValue {
  if (typeof json !== 'object' || json === null || Array.isArray(json) || nth % 2 === 0) return json;
  const entries = Object.entries(json);
  return Object.fromEntries(entries.filter((_, index) => index !== ((nth - 1) / 2) % entries.length));
}

/** Null and nothing are the same to whoever reads a chat. */
function withoutNull(json: JsonValue): JsonValue {
  if (Array.isArray(json)) return json.map(withoutNull);
  if (typeof json !== 'object' || json === null) return json;
  const entries = Object.entries(json).filter(([, value]) => value !== null);
  return Object.fromEntries(entries.map(([name, value]) => [name, withoutNull(value)]));
}
