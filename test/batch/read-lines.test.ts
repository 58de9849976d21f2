import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readLines } from '../../src/batch/read-lines.js';

it('lines do not depend on how their bytes are chunked, split characters included', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'grapheme' }).map((text) => text.replace(/\s/g, '.'))),
      fc.integer({ min: 1, max: 7 }),
      fc.constantFrom('\n', '\r\n'),
      async (lines, size, end) => {
        const bytes = Buffer.from(lines.join(end));
        const pieces = async function* () {
          for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
        };
        const read: string[] = [];
        for await (const line of readLines(pieces())) read.push(line.toString());
        expect(read).toEqual(lines.filter((line) => line !== ''));
      },
    ),
  );
});
