import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CustomInput } from '../../../src/formats/responses/writing/custom-input.js';

/** What is known after each piece, and at the end. */
function read(...pieces: readonly string[]) {
  const input = new CustomInput();
  let told = '';
  const known = pieces.map((piece) => {
    input.add(piece);
    told += input.takeFresh();
    return told;
  });
  return { known, ...input.finish() };
}

describe('the input of a custom tool', () => {
  it('is told as it comes, and is the text, however its arguments are cut', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 20 }),
        fc.nat(3),
        fc.array(fc.nat(60), { maxLength: 5 }),
        (text, indent, cuts) => {
          const given = JSON.stringify({ input: text }, null, indent);
          const at = [0, ...cuts.filter((cut) => cut < given.length).sort((a, b) => a - b), given.length];
          const pieces = at.slice(1).map((end, index) => given.slice(at[index], end));
          const { known, input, isCut } = read(...pieces);
          expect({ input, isCut }).toEqual({ input: text, isCut: false });
          for (const one of known) expect(text.startsWith(one)).toBe(true);
        },
      ),
    );
  });

  it('is well-formed at any time: half a character waits for its other half', () => {
    expect(read('{"input":"a\\ud83d', '\\ude00"}').known).toEqual(['a', 'a😀']);
  });

  it.each([
    ['the arguments stop within it', '{"input":"*** Begin', '*** Begin'],
    ['they stop within an escape', '{"input":"a\\', 'a'],
    ['they stop within a longer escape', '{"input":"a\\u00', 'a'],
    ['they stop before it', '{"inp', ''],
    ['a quotation mark in it ends it', '{"input":"say "hi" now"}', 'say '],
  ])('is cut where %s', (_, given, input) => {
    expect(read(given)).toMatchObject({ input, isCut: true });
  });

  it.each([
    ['line breaks that JSON has escaped', '{"input":"a\nb"}', 'a\nb'],
    ['escapes that JSON does not have', '{"input":"\\d+ \\u12 \\"\\/"}', '\\d+ \\u12 "/'],
    ['other members behind it', '{"input":"a","x":1}', 'a'],
    ['other members before it', '{"x":1,"input":"a"}', 'a'],
    ['another name', '{"patch":"a"}', 'a'],
    ['no object around it', '"a"', 'a'],
    ['no JSON at all', '*** Begin Patch', '*** Begin Patch'],
    ['something else', '{"a":1,"b":2}', '{"a":1,"b":2}'],
    ['nothing', '', ''],
    ['a missing end of the object', '{"input":"a"', 'a'],
  ])('is what the model meant with %s', (_, given, input) => {
    expect(read(given)).toMatchObject({ input, isCut: false });
  });
});
