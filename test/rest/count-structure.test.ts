import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exceedsStructure, exceedsValues } from '../../src/rest/count-structure.js';

function structureOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((count: number, child) => count + structureOf(child), 1);
}

function valuesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const children: unknown[] = Object.values(value);
  return children.reduce((count: number, child) => count + valuesOf(child), Math.max(1, children.length));
}

describe('the structure of a JSON text', () => {
  it('exceeds every count below its number of objects and lists, and no other', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const bytes = Buffer.from(JSON.stringify(value));
        const count = structureOf(JSON.parse(bytes.toString()));
        expect(exceedsStructure(bytes, count)).toBe(false);
        if (count > 0) expect(exceedsStructure(bytes, count - 1)).toBe(true);
      }),
    );
  });

  it('exceeds with its values what is less than one for each object and list and each further value, and no more', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const bytes = Buffer.from(JSON.stringify(value));
        const count = valuesOf(JSON.parse(bytes.toString()));
        expect(exceedsValues(bytes, count)).toBe(false);
        if (count > 0) expect(exceedsValues(bytes, count - 1)).toBe(true);
      }),
    );
  });

  it('is not what stands in strings, however they are escaped', () => {
    const texts = ['[{[{', '\\', '\\\\"[', '"', '\n[', ''];
    const bytes = Buffer.from(JSON.stringify(texts));
    expect([exceedsStructure(bytes, 1), exceedsStructure(bytes, 0)]).toEqual([false, true]);
  });

  it.each(['"[[[[[[', '"\\', '[[[[["', '\\"[[[[[['])('of %j is counted to some end', (text) => {
    expect(typeof exceedsStructure(Buffer.from(text), 1)).toBe('boolean');
  });
});
