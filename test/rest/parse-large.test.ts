import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLargeJson } from '../../src/rest/parse-large.js';

describe('JSON of many megabytes', () => {
  it('is what JSON.parse says it is', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.constantFrom(undefined, 1, '\t'), (text, space) => {
        const spaced = ` ${JSON.stringify(JSON.parse(text), null, space)}\n`;
        expect(parseLargeJson(Buffer.from(spaced))).toEqual(JSON.parse(spaced));
      }),
    );
  });

  it('is refused where JSON.parse refuses it', () => {
    const broken = fc
      .tuple(fc.json({ maxDepth: 4 }), fc.nat(), fc.constantFrom('', ',', '"', '{', ']', '\\', ':', '1', ' '))
      .map(([text, at, put]) => text.slice(0, at % text.length) + put + text.slice((at % text.length) + 1));
    fc.assert(
      fc.property(broken, (text) => {
        expect(outcome(() => parseLargeJson(Buffer.from(text)))).toEqual(outcome(() => JSON.parse(text)));
      }),
      { numRuns: 2000 },
    );
  });

  it.each(['', '{', '}', '[', '[1', '[1}', '{"a":1', '{"a"}', '{a:1}', '[1,]', '{"a":1,}', '[,1]', '"'])(
    'refuses %j',
    (text) => {
      expect(() => parseLargeJson(Buffer.from(text))).toThrow(SyntaxError);
    },
  );

  it('takes the last of members of one name, and __proto__ for a name like any other', () => {
    const text = '{"a":1,"__proto__":{"x":[1]},"a":2}';
    expect(JSON.stringify(parseLargeJson(Buffer.from(text)))).toBe(JSON.stringify(JSON.parse(text)));
  });
});

function outcome(parse: () => unknown): unknown {
  try {
    return { value: parse() };
  } catch (error) {
    return error instanceof SyntaxError ? 'refused' : error;
  }
}
