import { fromJson, type JsonValue, toBinary } from '@bufbuild/protobuf';
import { type ListValue, ListValueSchema, StructSchema } from '@bufbuild/protobuf/wkt';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exceedsMessages } from '../../src/wire/count-messages.js';

/** One for the value, one more for a list or an object, and one for each entry of an object. */
function messagesIn(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 1;
  const children = Object.values(value).reduce<number>((count, child) => count + messagesIn(child), 2);
  return children + (Array.isArray(value) ? 0 : Object.keys(value).length);
}

const anyList = fc.array(
  fc.jsonValue({ maxDepth: 4 }).filter((value) => !JSON.stringify(value).includes('__proto__')),
);

describe('the messages in a binary message', () => {
  it('exceed every count below their number, and no other', () => {
    fc.assert(
      fc.property(anyList, (json) => {
        const values = JSON.parse(JSON.stringify(json)) as JsonValue[];
        const message: ListValue = fromJson(ListValueSchema, values);
        const bytes = toBinary(ListValueSchema, message);
        const count = messagesIn(values) - 2;
        expect(exceedsMessages(ListValueSchema, bytes, count)).toBe(false);
        if (count > 0) expect(exceedsMessages(ListValueSchema, bytes, count - 1)).toBe(true);
      }),
    );
  });

  it('of bytes that are none are counted to some end', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(typeof exceedsMessages(StructSchema, bytes, 1)).toBe('boolean');
      }),
    );
  });
});
