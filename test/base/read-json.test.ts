import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mayHoldExactInteger, parseExact, readJson } from '../../src/base/json/bounded/read-json.js';
import type { StructureLimits } from '../../src/base/json/bounded/structure.js';
import { ExactInteger } from '../../src/base/json/exact-integer.js';
import type { JsonValue } from '../../src/base/json/json-value.js';
import { isLazyList } from '../../src/base/json/lazy-list.js';
import { Problem } from '../../src/base/problem.js';
import { runToEnd } from '../../src/base/time-slices.js';

const WIDE: StructureLimits = { containers: 1e9, values: 1e9, names: 1e9 };

/** Reads with our own reader only: long leading whitespace prevents `JSON.parse`. */
function read(
  text: string,
  limits: StructureLimits = { containers: 1e6, values: 1e6, names: 1e4 },
): JsonValue {
  return runToEnd(readJson(Buffer.from(`${' '.repeat(70_000)}${text}`), { limits }));
}

function outcome(parse: () => unknown): unknown {
  try {
    return { value: parse() };
  } catch (error) {
    return error instanceof SyntaxError ? 'refused' : error;
  }
}

describe('JSON that is read in slices', () => {
  it('is what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.constantFrom(undefined, 1, '\t'), (text, space) => {
        const spaced = ` ${JSON.stringify(JSON.parse(text), null, space)}\n`;
        expect(read(spaced)).toEqual(JSON.parse(spaced));
      }),
    );
  });

  it('has few names that are very long, which take long to be told apart', () => {
    const named = (count: number, length: number) =>
      JSON.stringify(
        Object.fromEntries(
          Array.from({ length: count }, (_, index) => [String(index).padStart(length, 'n'), 1]),
        ),
      );
    expect(Object.keys(read(named(16, 16_400)) as object)).toHaveLength(16);
    expect(Object.keys(read(named(1_000, 4_096)) as object)).toHaveLength(1_000);
    expect(outcome(() => read(named(17, 4_097)))).toMatchObject({ violations: [{ rule: 'count' }] });
  });

  it('is refused where JSON.parse refuses it', () => {
    const broken = fc
      .tuple(
        fc.json({ maxDepth: 4 }),
        fc.nat(),
        fc.constantFrom('', ',', '"', '{', ']', '\\', ':', '1', ' ', '\n'),
      )
      .map(([text, at, put]) => text.slice(0, at % text.length) + put + text.slice((at % text.length) + 1));
    fc.assert(
      fc.property(broken, (text) => {
        expect(outcome(() => read(text))).toEqual(outcome(() => JSON.parse(text)));
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    '',
    '{',
    '}',
    '[',
    '[1',
    '[1}',
    '{"a":1',
    '{"a"}',
    '{a:1}',
    '[1,]',
    '{"a":1,}',
    '[,1]',
    '"',
    '1 2',
    '-',
    '01',
    'tru',
    'null1',
    '[}',
    '"\u0001"',
    '"\\x"',
  ])('refuses %j', (text) => {
    expect(() => read(text)).toThrow(SyntaxError);
  });

  it('takes the last of repeated members, and __proto__ as a name like any other', () => {
    const text = '{"a":1,"__proto__":{"x":[1]},"a":2}';
    expect(JSON.stringify(read(text))).toBe(JSON.stringify(JSON.parse(text)));
  });

  it.each([
    ['a'.repeat(300_000)],
    ['漢'.repeat(100_001)],
    [`x${'😀'.repeat(70_001)}`],
    [`${'\\"'.repeat(70_001)}`],
    [`x${'\\u00e9'.repeat(50_001)}`],
    [`${'\\ud83d\\ude00'.repeat(30_001)}\\\\`],
    [`${'é\\n'.repeat(90_001)}`],
  ])('a long text is whole, wherever it is cut (%#)', (content) => {
    for (const pad of ['', 'a', 'ab', 'abc', 'abcd', 'abcde']) {
      const text = `{"x":"${pad}${content}"}`;
      expect(read(text)).toEqual(JSON.parse(text));
    }
  });

  it.each([
    `"${'a'.repeat(300_000)}`,
    `"${'a'.repeat(300_000)}\u0001"`,
    `"${'\\"'.repeat(100_000)}`,
    `"${'a'.repeat(300_000)}\\q"`,
  ])('a long text that JSON.parse refuses is refused (%#)', (text) => {
    expect(() => read(text)).toThrow(SyntaxError);
  });

  it('has no max depth: the reader is not recursive', () => {
    expect(() => read('['.repeat(1e6), WIDE)).toThrow(SyntaxError);
    expect(Array.isArray(read(`${'['.repeat(1e5)}${']'.repeat(1e5)}`, WIDE))).toBe(true);
  });
});

describe('the structure of JSON', () => {
  const counted = (value: JsonValue): { containers: number; values: number; names: Set<string> } => {
    if (typeof value !== 'object' || value === null) return { containers: 0, values: 0, names: new Set() };
    const children = Object.values(value) as JsonValue[];
    return children.map(counted).reduce(
      (sum, one) => ({
        containers: sum.containers + one.containers,
        values: sum.values + one.values,
        names: new Set([...sum.names, ...one.names]),
      }),
      {
        containers: 1,
        values: children.length,
        names: new Set(Array.isArray(value) ? [] : Object.keys(value)),
      },
    );
  };

  it('fits limits equal to its counts, and is refused with one container, value or name less', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        const value = JSON.parse(text) as JsonValue;
        const { containers, values, names } = counted(value);
        const exact = { containers, values, names: names.size };
        expect(read(JSON.stringify(value), exact)).toEqual(value);
        for (const what of ['containers', 'values', 'names'] as const) {
          if (exact[what] === 0) continue;
          const less = { ...exact, [what]: exact[what] - 1 };
          expect(outcome(() => read(JSON.stringify(value), less))).toMatchObject({
            reason: 'invalid_request',
            violations: [{ field: '', rule: 'count' }],
          });
        }
      }),
    );
  });

  it('is limited while it is read: a million lists cost no more than the limit', () => {
    const bounds = { containers: 100, values: 100, names: 100 };
    expect(outcome(() => read(`[${'[],'.repeat(1e6)}`, bounds))).toBeInstanceOf(Problem);
  });
});

describe('lists in a body that are read lazily', () => {
  const elementLimits = { containers: 50, values: 200_000, names: 50 };
  const lazily = (text: string) =>
    runToEnd(
      readJson(Buffer.from(text), { limits: { containers: 10, values: 20, names: 10 }, elementLimits }),
    );

  it('are the lists directly in the body, and give the same as JSON.parse', () => {
    const long = 'é'.repeat(50_000);
    const text = ` {"a" : [ {"b":[1, "]", "\\""]} , 2,"x,y" , ["${long}"] ] ,"c":[],"d":{"e":[1]}, "f":[  \n]} `;
    const body = lazily(text) as Record<string, JsonValue>;
    expect(JSON.parse(JSON.stringify(body))).toEqual(JSON.parse(text));
    expect([body.a, body.c, body.f].map((list) => isLazyList(list as object))).toEqual([true, true, true]);
  });

  it('have a limit on their length, and limits on each large element', () => {
    expect(() => lazily(`{"a":[${'1,'.repeat(30)}1]}`)).toThrow('more than 20 members and elements');
    const nested = `[${'[],'.repeat(20_000)}1]`;
    expect(() => lazily(`{"a":[1,${nested}]}`)).toThrow('more than 50 objects and lists');
  });

  it.each(['{"a":[1', '{"a":[1,', '{"a":["', '{"a":[{]'])('have an end: %s', (text) => {
    expect(() => lazily(text)).toThrow(SyntaxError);
  });

  it('throw for an element that is not JSON when it is accessed', () => {
    const { a } = lazily('{"a":[1,{x}]}') as { a: JsonValue[] };
    expect(a[0]).toBe(1);
    expect(() => a[1]).toThrow(SyntaxError);
  });
});

describe('integers beyond 2^53', () => {
  it('are found in any JSON, and no fraction is taken for one', () => {
    const digits = fc.array(
      fc.constantFrom('1234567890123456', '12345', '9', '0.', 'x', ',', ' ', '-', '"', '['),
    );
    fc.assert(
      fc.property(
        digits.map((parts) => parts.join('')),
        (text) => {
          expect(mayHoldExactInteger(text)).toBe(/(?:^|[:,[ \t\n\r-])\d{16}/.test(text));
        },
      ),
    );
  });

  it('keep their digits, and all else is as JSON.parse gives it', () => {
    const parsed = parseExact('{"a":[12345678901234567890,-9007199254740993,1.2345678901234567,"é👋"]}');
    expect(parsed).toEqual({
      a: [
        new ExactInteger('12345678901234567890'),
        new ExactInteger('-9007199254740993'),
        1.2345678901234567,
        'é👋',
      ],
    });
    expect(() => parseExact('[12345678901234567890')).toThrow(SyntaxError);
  });
});
