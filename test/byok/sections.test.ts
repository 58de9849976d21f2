import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { move, type Place, type PlacedKey, placeAtEnd, remove } from '../../src/byok/sections.js';

/** Keys by name: those before the bar are prioritized, those after it fallback. */
function keys(text: string): PlacedKey[] {
  return text
    .split('|')
    .flatMap((section, index) =>
      [...section].map((id, sortOrder) => ({ id, isFallback: index === 1, sortOrder })),
    );
}

function shown(all: readonly PlacedKey[]): string {
  const section = (isFallback: boolean) =>
    all.filter((key) => key.isFallback === isFallback).sort((a, b) => a.sortOrder - b.sortOrder);
  return [false, true]
    .map((isFallback) =>
      section(isFallback)
        .map((key) => key.id)
        .join(''),
    )
    .join('|');
}

function applied(all: readonly PlacedKey[], places: ReadonlyMap<string, Place>): PlacedKey[] {
  return all.map((key) => ({ ...key, ...places.get(key.id) }));
}

function isDense(all: readonly PlacedKey[]): boolean {
  return [false, true].every((isFallback) => {
    const positions = all.filter((key) => key.isFallback === isFallback).map((key) => key.sortOrder);
    return positions.sort((a, b) => a - b).every((position, index) => position === index);
  });
}

describe('the order of keys in their sections', () => {
  test.each<[string, string, boolean, number | undefined, string]>([
    ['abc|', 'a', false, 2, 'bca|'],
    ['abc|', 'c', false, 0, 'cab|'],
    ['abc|', 'b', false, 1, 'abc|'],
    ['abc|', 'a', false, 99, 'bca|'],
    ['abc|', 'b', false, undefined, 'abc|'],
    ['abc|xy', 'b', true, undefined, 'ac|xyb'],
    ['abc|xy', 'b', true, 0, 'ac|bxy'],
    ['abc|xy', 'b', true, 99, 'ac|xyb'],
    ['abc|xy', 'x', false, 1, 'axbc|y'],
    ['a|', 'a', true, 5, '|a'],
    ['abc|', 'z', false, 0, 'abc|'],
  ])('%s: %s to fallback %s, position %s gives %s', (before, id, isFallback, sortOrder, after) => {
    const all = keys(before);
    expect(shown(applied(all, move(all, id, { isFallback, sortOrder })))).toBe(after);
  });

  test('a new key goes to the end of its section', () => {
    expect(placeAtEnd(keys('abc|x'), false)).toEqual({ isFallback: false, sortOrder: 3 });
    expect(placeAtEnd(keys('abc|x'), true)).toEqual({ isFallback: true, sortOrder: 1 });
    expect(placeAtEnd([], true)).toEqual({ isFallback: true, sortOrder: 0 });
  });

  test('a removed key leaves no gap', () => {
    const all = keys('abc|xyz').filter((key) => key.id !== 'a');
    expect(shown(applied(all, remove(keys('abc|xyz'), 'a')))).toBe('bc|xyz');
    expect(isDense(applied(all, remove(keys('abc|xyz'), 'a')))).toBe(true);
  });

  test('only changed places are returned', () => {
    expect([...move(keys('abcd|'), 'c', { isFallback: false, sortOrder: 1 }).keys()].sort()).toEqual([
      'b',
      'c',
    ]);
    expect(move(keys('abc|'), 'a', { isFallback: false, sortOrder: 0 }).size).toBe(0);
  });

  test('after any operations, positions are 0..n-1, nothing is lost, and the others keep their order', () => {
    const step = fc.record({
      kind: fc.constantFrom('insert', 'move', 'remove'),
      pick: fc.nat(),
      isFallback: fc.boolean(),
      sortOrder: fc.option(fc.nat(12), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let all: PlacedKey[] = [];
        for (const [index, { kind, pick, isFallback, sortOrder }] of steps.entries()) {
          const chosen = all[pick % Math.max(all.length, 1)];
          if (kind === 'insert') all.push({ id: `k${index}`, ...placeAtEnd(all, isFallback) });
          else if (chosen !== undefined) {
            const without = (keys: readonly PlacedKey[]) => keys.filter((key) => key.id !== chosen.id);
            const places =
              kind === 'move' ? move(all, chosen.id, { isFallback, sortOrder }) : remove(all, chosen.id);
            const after = applied(kind === 'move' ? all : without(all), places);
            expect(shown(without(after))).toBe(shown(without(all)));
            all = after;
          }
          expect(isDense(all)).toBe(true);
        }
      }),
    );
  });

  test('gaps and duplicates of an older state are repaired', () => {
    const positions = fc.array(fc.record({ sortOrder: fc.nat(9), isFallback: fc.boolean() }), {
      minLength: 1,
    });
    fc.assert(
      fc.property(positions, (places) => {
        const all = places.map((place, index) => ({ id: `k${index}`, ...place }));
        expect(isDense(applied(all, move(all, 'k0', { isFallback: false, sortOrder: 0 })))).toBe(true);
        expect(isDense(applied(all, remove(all, 'k0')).filter((key) => key.id !== 'k0'))).toBe(true);
      }),
    );
  });
});
