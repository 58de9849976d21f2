import { toBinary, toJson } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { CreateChatCompletionResponseSchema as Answer } from '../../gen/byway/v1/chat_pb.js';
import { ExactInteger } from '../../src/base/json/exact-integer.js';
import { messageFromJson } from '../../src/protobuf/message-from-json.js';

const answer = (message: object) => ({ choices: [{ index: 0, message: { content: 'a', ...message } }] });
const nested = (depth: number): object => Array.from({ length: depth }).reduce<object>((a) => ({ a }), {});

describe('an answer as a message', () => {
  it.each([
    ['half a character', { content: 'a\ud800' }],
    ['half a character in a member that the contract does not know', { x: { y: ['\udc00'] } }],
    ['half a character in a name', { x: { '\ud800': 1 } }],
    ['deep nesting', { x: nested(180) }],
  ])('is one, whatever its provider wrote: %s', (_, message) => {
    const made = messageFromJson(Answer, answer(message));
    expect(toBinary(Answer, made).length).toBeGreaterThan(0);
    expect(JSON.stringify(toJson(Answer, made))).toContain('"choices"');
  });

  it('has the number next to an integer beyond 2^53, which a Struct can’t hold', () => {
    const made = messageFromJson(Answer, answer({ x: { list: [new ExactInteger('12345678901234567890')] } }));
    expect(JSON.stringify(toJson(Answer, made))).toContain('{"list":[12345678901234567000]}');
  });

  it('has U+FFFD in place of half a character', () => {
    const made = messageFromJson(Answer, answer({ content: 'a\ud800b' }));
    expect(JSON.stringify(toJson(Answer, made))).toContain('a\ufffdb');
  });
});
