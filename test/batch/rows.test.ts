import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DuplicateCheck } from '../../src/batch/duplicate-check.js';
import { BatchRows, RowWriter, withRefused } from '../../src/batch/rows.js';

const older = {
  customId: fc.string({ unit: 'binary' }),
  promptTokens: fc.nat(),
  images: fc.nat(),
  isReasoningHidden: fc.boolean(),
};
const olderRow = fc.record(older);
const endUser = fc.option(fc.string({ unit: 'binary' }));
const toolNames = fc.dictionary(fc.string(), fc.string(), { noNullPrototype: true, minKeys: 1 });
const row = fc.oneof(fc.record({ ...older, endUser }), fc.record({ ...older, endUser, toolNames }));
const refusal = fc.record({ status: fc.constantFrom(403, 429), message: fc.string({ unit: 'binary' }) });

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
      expect(read.refused.size).toBe(0);
    }),
  );
});

it('rows are read with what of them was refused, and by who knows nothing of that', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(row, fc.option(refusal)), { minLength: 1 }), (all) => {
      const writer = new RowWriter();
      for (const [one] of all) writer.add(one);
      const refused = new Map(all.flatMap(([, why], index) => (why === null ? [] : [[index, why] as const])));
      const json = withRefused(writer.json(), refused);
      expect(JSON.parse(json).slice(0, all.length)).toEqual(JSON.parse(writer.json()));
      const read = new BatchRows(json, all.length);
      expect(all.map((_, index) => read.at(index))).toEqual(all.map(([one]) => one));
      expect([...read.refused.keys()].sort()).toEqual([...refused.keys()].sort());
      for (const [index, { message }] of refused) expect(read.refused.get(index)?.message).toBe(message);
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
        rows.map((one) => ({ ...one, isReasoningHidden: false, endUser: null })),
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
