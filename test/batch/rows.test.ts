import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DuplicateCheck } from '../../src/batch/duplicate-check.js';
import { BatchRows, RowWriter } from '../../src/batch/rows.js';

const older = {
  customId: fc.string({ unit: 'binary' }),
  promptTokens: fc.nat(),
  images: fc.nat(),
  isReasoningHidden: fc.boolean(),
};
const olderRow = fc.record(older);
const row = fc.oneof(
  olderRow,
  fc.record({ ...older, toolNames: fc.dictionary(fc.string(), fc.string(), { noNullPrototype: true }) }),
);

it('rows are read as they were written, and are valid JSON', () => {
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      const writer = new RowWriter();
      for (const one of rows) writer.add(one);
      const json = writer.json();
      expect(JSON.parse(json)).toHaveLength(rows.length);
      const read = new BatchRows(json, rows.length);
      expect(rows.map((_, index) => read.at(index))).toEqual(rows);
      expect(read.at(rows.length)).toBeUndefined();
    }),
  );
});

it('rows of the previous version are read too, which had no line breaks and no flag for reasoning', () => {
  fc.assert(
    fc.property(fc.array(olderRow), (rows) => {
      const stored = JSON.stringify(
        rows.map(({ customId, promptTokens, images }) => [customId, promptTokens, images]),
      );
      const read = new BatchRows(stored, rows.length);
      expect(rows.map((_, index) => read.at(index))).toEqual(
        rows.map((one) => ({ ...one, isReasoningHidden: false })),
      );
    }),
  );
});

it('finds duplicate names, and no others', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 2 })), (names) => {
      const check = new DuplicateCheck(names.length, (index) => names[index] ?? '');
      const found = names.map((_, index) => check.add(index));
      expect(found).toEqual(names.map((name, index) => names.indexOf(name) === index));
    }),
  );
});
