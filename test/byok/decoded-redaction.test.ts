import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Matcher } from '../../src/byok/redaction/matcher.js';
import { secret } from '../../src/byok/redaction/secrets.js';

/** Visible ASCII, but for what begins an escape. */
const CHARACTERS = Array.from({ length: 94 }, (_, index) => String.fromCharCode(index + 33)).filter(
  (character) => !'\\%&'.includes(character),
);

const KEYS = fc.string({ minLength: 16, maxLength: 80, unit: fc.constantFrom(...CHARACTERS) });

const hex = (character: string, digits: number, isUpper: boolean) => {
  const text = character.charCodeAt(0).toString(16).padStart(digits, '0');
  return isUpper ? text.toUpperCase() : text;
};

/** Ways to write one character that a reader undoes; each is chosen anew for every character. */
const WRITERS: readonly ((character: string, isUpper: boolean) => string)[] = [
  (character) => character,
  (character, isUpper) => `\\u${hex(character, 4, isUpper)}`,
  (character, isUpper) => `%${hex(character, 2, isUpper)}`,
  (character, isUpper) => `%25${hex(character, 2, isUpper)}`,
  (character, isUpper) => `\\\\u${hex(character, 4, isUpper)}`,
  (character, isUpper) => `%5C%75${hex(character, 4, isUpper)}`,
  (character, isUpper) => `\\u0025${hex(character, 2, isUpper)}`,
  (character) => `&#${character.charCodeAt(0)};`,
  (character, isUpper) => `&#x${hex(character, 2, isUpper)};`,
];

/** A secret, and a spelling of it. */
const SPELLED = KEYS.chain((key) =>
  fc.tuple(
    fc.constant(key),
    fc
      .array(fc.tuple(fc.constantFrom(...WRITERS), fc.boolean()), {
        minLength: key.length,
        maxLength: key.length,
      })
      .map((choices) => choices.map(([write, isUpper], index) => write(key[index] ?? '', isUpper)).join('')),
  ),
);

/** Texts around it. */
const PLACES: readonly ((spelled: string) => string)[] = [
  (spelled) => spelled,
  (spelled) => `Incorrect API key provided: ${spelled}. See https://example.com/%C3%A9`,
  (spelled) => `{"type":"error","error":{"message":"key \\"${spelled}\\" is wrong","param":"a\\\\b"}}`,
  (spelled) => `https://example.com/?key=${spelled}&next=%2Fhome%20`,
  (spelled) => `100% of ${spelled}\\n`,
];

describe('a secret whose characters are escaped, each in its own way', () => {
  it('is redacted in members and in content, wherever it is', () => {
    fc.assert(
      fc.property(SPELLED, fc.constantFrom(...PLACES), ([key, spelled], place) => {
        const matcher = new Matcher([secret(key)]);
        for (const redacted of [matcher.member(place(spelled)), matcher.content(place(spelled))]) {
          expect(redacted).toContain('[credential]');
          expect(redacted).not.toContain(spelled);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('leaves a body of JSON readable, with everything around it as it was', () => {
    fc.assert(
      fc.property(KEYS, (key) => {
        const escaped = [...key].map((character) => `\\u${hex(character, 4, false)}`).join('');
        const body = `{"error":{"message":"the key \\"${escaped}\\" \\u00e9","code":"a%20b"}}`;
        expect(JSON.parse(new Matcher([secret(key)]).member(body))).toEqual({
          error: { message: 'the key "[credential]" é', code: 'a%20b' },
        });
      }),
    );
  });
});

it('a text without the secret is the same, however it is escaped', () => {
  const matcher = new Matcher([secret('sk-proj-0123456789abcdefghijklmnop')]);
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('%', '2', '5', '\\', 'u', '0', '"', 'n', '&#', ';', 'x') }),
      (text) => {
        expect(matcher.member(text)).toBe(text);
        expect(matcher.content(text)).toBe(text);
      },
    ),
  );
});
