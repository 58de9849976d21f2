import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearestNames } from '../../src/base/nearest.js';

/** The distance by its definition. */
function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const [above = 0, left = 0, diagonal = 0] = [rows[i - 1]?.[j], row[j - 1], rows[i - 1]?.[j - 1]];
      row.push(Math.min(above + 1, left + 1, diagonal + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    rows.push(row);
  }
  return rows[a.length]?.[b.length] ?? 0;
}

describe('the names that are nearest to a mistyped one', () => {
  it('are those of the least distance, up to half of its characters and eight', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', '-'), maxLength: 24 });
    fc.assert(
      fc.property(word, fc.uniqueArray(word, { maxLength: 8 }), (name, known) => {
        const max = Math.min(8, Math.max(2, Math.floor(name.length / 2)));
        const expected = known
          .map((one) => ({ one, far: distance(name, one) }))
          .filter(({ far }) => far <= max)
          .sort((a, b) => a.far - b.far || (a.one < b.one ? -1 : 1));
        expect(nearestNames(name, known, 8)).toEqual(expected.map(({ one }) => one));
      }),
    );
  });

  it('are found among thousands in a fraction of a slice of the event loop, whatever is asked for', () => {
    const known = Array.from({ length: 1_000 }, (_, n) => `author-${n % 40}/some-model-name-${n}-instruct`);
    const asked = [
      'author-x/some-model-name-xx-instruct',
      `author-1/some-model-${'x'.repeat(60)}`,
      'author-1/',
    ];
    const startedAt = process.cpuUsage();
    for (let round = 0; round < 10; round += 1) for (const name of asked) nearestNames(name, known, 3);
    const { user } = process.cpuUsage(startedAt);
    expect(user / 1_000 / 30).toBeLessThan(5);
  });
});
