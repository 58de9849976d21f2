import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PackedLists } from '../../src/base/json/bounded/packed-lists.js';

/** The JSON of a text that comes in pieces of these lengths, again and again. */
function read(text: string, lengths: readonly number[]): unknown {
  const lists = new PackedLists();
  const bytes = Buffer.from(text);
  const rest: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const next = at + (lengths[turn % lengths.length] ?? 1);
    rest.push(...lists.rest(bytes.subarray(at, next)));
    at = next;
  }
  rest.push(lists.end());
  return lists.restored(JSON.parse(Buffer.concat(rest).toString()));
}

/** The value, with lists of numbers as they are packed. */
function packed(value: unknown): unknown {
  if (Array.isArray(value)) {
    const isPacked = value.length > 0 && value.every((one) => typeof one === 'number');
    return isPacked ? Float64Array.from(value) : value.map(packed);
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, packed(one)]));
}

describe('lists of numbers are taken out of JSON while it comes', () => {
  it('and are as they were, wherever its pieces end', () => {
    const numbers = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { maxLength: 5 });
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.string({ unit: fc.constantFrom('[', '1', ']', '"', '\\', ',', 'a', 'ü', ' ') }),
        numbers,
        fc.constantFrom(null, true, 7),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom('data', '[1]', 'embedding', '"'), tie('value')),
      ),
    }));
    const lengths = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(value, lengths, fc.constantFrom(0, 1), (one, pieces, indent) => {
        expect(read(JSON.stringify(one, null, indent), pieces)).toEqual(
          packed(JSON.parse(JSON.stringify(one))),
        );
      }),
    );
  });

  it('a list that has no end, or is no list of numbers, is left to whoever reads the rest', () => {
    expect(() => read('{"data":[1,2', [3])).toThrow(SyntaxError);
    expect(() => read('[1,2,,3]', [3])).toThrow(SyntaxError);
    expect(read('[1,"[2]",[3,null]]', [2])).toEqual([1, '[2]', [3, null]]);
  });

  it('one that is longer than any embedding stays', () => {
    const long = Array.from({ length: 300_000 }, (_, at) => at);
    expect(read(JSON.stringify({ long, short: [1] }), [65_536])).toEqual({
      long,
      short: Float64Array.of(1),
    });
  });
});
