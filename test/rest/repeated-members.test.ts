import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../src/base/problem.js';
import { refuseRepeatedMembers } from '../../src/http/repeated-members.js';

function repeatedIn(json: string): string[] {
  try {
    refuseRepeatedMembers(Buffer.from(json));
  } catch (error) {
    if (error instanceof Problem && error.reason === 'invalid_request')
      return error.violations.map(({ field, rule }) => `${field} ${rule}`);
    throw error;
  }
  return [];
}

describe('a member that is repeated in its object is named', () => {
  it.each([
    ['{"a":1,"a":2}', ['a']],
    ['{"a":1,"b":2,"a":1,"b":3}', ['a', 'b']],
    ['{"a":1,"a":1,"a":1}', ['a']],
    ['{"a":1,"\\u0061":2}', ['a']],
    ['{"a\\"":1,"a\\u0022":2}', ['a"']],
    ['{"":1,"":2}', ['']],
    ['{"a":{"b":1},"c":[0,{"d":1,"d":2}]}', ['c[1].d']],
    ['[[],[{"x":[],"x":{}}]]', ['[1][0].x']],
    ['{ "a" : "{\\"b\\":1" , "b" : "," , "a" : [ ] }', ['a']],
    ['{"a":{"a":{"a":1}},"b":["a","a"],"c":"c","d":{"c":1}}', []],
    ['{"a":1,"A":2}', []],
    ['{}', []],
    ['"a"', []],
  ])('%s', (json, fields) => {
    expect(repeatedIn(json)).toEqual(fields.map((field) => `${field} repeated`));
  });

  it('in whatever JSON, and in none that has none', () => {
    const plain = fc.jsonValue({ maxDepth: 5 });
    fc.assert(
      fc.property(plain, (value) => {
        expect(repeatedIn(JSON.stringify(value))).toEqual([]);
      }),
      { numRuns: 500 },
    );
    const twice = fc.tuple(fc.string(), fc.json(), fc.json(), fc.json());
    fc.assert(
      fc.property(twice, ([name, one, other, between]) => {
        const key = JSON.stringify(name);
        const json = `{"first":[${between}],${key}:${one},"other than ${key.length}":0,${key}:${other}}`;
        expect(repeatedIn(json).length).toBe(1);
      }),
      { numRuns: 500 },
    );
  });

  it('what is no JSON is passed without an error of another kind', () => {
    const pieces = fc.array(fc.constantFrom(...'{}[]",:\\a', '"a"'), { maxLength: 80 });
    fc.assert(
      fc.property(pieces, (text) => {
        expect(repeatedIn(text.join(''))).toBeInstanceOf(Array);
      }),
      { numRuns: 2_000 },
    );
  });

  it('a body of 1 MiB costs no more, whatever it contains', () => {
    const shapes = [
      `{${'"a":1,'.repeat(170_000)}"a":1}`,
      `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`,
      '['.repeat(1_000_000),
      `{"${'\\\\'.repeat(500_000)}":1}`,
      `{"${'x'.repeat(500_000)}":{${'"a":1,'.repeat(80_000)}"a":1}}`,
    ];
    for (const json of shapes) {
      const before = performance.now();
      const found = repeatedIn(json).join('');
      expect(performance.now() - before).toBeLessThan(2_000);
      expect(found.length).toBeLessThan(100_000);
    }
  });
});
