/** docs/routing.md#names-in-rules. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldName, isListed, namesIt, patternViolation } from '../../src/base/name-pattern.js';

describe('an entry of a rule', () => {
  it.each([
    ['openai/gpt-x', true],
    ['OpenAI/GPT-X', true],
    ['  openai/gpt-x\t', true],
    ['openai/*', true],
    [' OPENAI/G* ', true],
    ['openai/gpt-x*', true],
    ['openai/gpt-xy*', false],
    ['openai/gpt', false],
    ['openai', false],
    ['anthropic/*', false],
  ])('%j names openai/gpt-x: %s', (entry, isNamed) => {
    expect(namesIt(entry, 'openai/gpt-x')).toBe(isNamed);
    expect(isListed(['x/y', entry], 'openai/gpt-x')).toBe(isNamed);
  });

  it.each([
    ['*', 'pattern'],
    [' * ', 'pattern'],
    ['**', 'pattern'],
    ['*/gpt', 'pattern'],
    ['open*ai/gpt', 'pattern'],
    ['openai/**', 'pattern'],
    ['   ', 'length'],
    ['', 'length'],
    ['openai/*', undefined],
    ['a*', undefined],
    ['a', undefined],
  ])('%j is refused by the rule %s', (entry, rule) => {
    expect(patternViolation(entry)?.rule).toBe(rule);
  });

  it('means the same in any case and with any outer blanks, in a list and alone', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[A-Za-z/ *-]{1,12}$/),
        fc.stringMatching(/^[a-z/-]{1,12}$/),
        (entry, name) => {
          const varied = [entry, entry.toUpperCase(), ` ${entry}\n`];
          const answers = varied.map((one) => namesIt(one, name));
          expect(new Set(answers).size).toBe(1);
          expect(isListed([entry], name.toUpperCase())).toBe(answers[0]);
          if (foldName(entry) === name) expect(answers[0]).toBe(true);
        },
      ),
    );
  });
});
