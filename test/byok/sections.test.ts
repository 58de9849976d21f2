import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type KeyPosition, move, type Shift } from '../../src/byok/keys/sections.js';

type PlacedKey = KeyPosition & { readonly id: string };

/** Keys by name: those before the bar are prioritized, those after it fallback. */
function keys(text: string): PlacedKey[] {
  return text
    .split('|')
    .flatMap((section, index) =>
      [...section].map((id, sortOrder) => ({ id, isFallback: index === 1, sortOrder })),
    );
}

function section(all: readonly PlacedKey[], isFallback: boolean): PlacedKey[] {
  return all.filter((key) => key.isFallback === isFallback).sort((a, b) => a.sortOrder - b.sortOrder);
}

function shown(all: readonly PlacedKey[]): string {
  const ids = (isFallback: boolean) => section(all, isFallback).map((key) => key.id);
  return `${ids(false).join('')}|${ids(true).join('')}`;
}

function shifted(all: readonly PlacedKey[], shifts: readonly Shift[]): PlacedKey[] {
  return all.map((key) => {
    const own = shifts.filter(
      ({ isFallback, from, to }) =>
        isFallback === key.isFallback && key.sortOrder >= from && key.sortOrder <= to,
    );
    return { ...key, sortOrder: own.reduce((position, { by }) => position + by, key.sortOrder) };
  });
}

function moved(
  all: readonly PlacedKey[],
  id: string,
  isFallback: boolean,
  sortOrder?: number | undefined,
): PlacedKey[] {
  const key = all.find((one) => one.id === id);
  if (key === undefined) return [...all];
  const { position, shifts } = move(key, { isFallback, sortOrder }, section(all, isFallback).length);
  return [
    ...shifted(
      all.filter((one) => one !== key),
      shifts,
    ),
    { id, ...position },
  ];
}

function isDense(all: readonly PlacedKey[]): boolean {
  return [false, true].every((isFallback) =>
    section(all, isFallback).every((key, index) => key.sortOrder === index),
  );
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
  ])('%s: %s to fallback %s, position %s gives %s', (before, id, isFallback, sortOrder, after) => {
    const all = moved(keys(before), id, isFallback, sortOrder);
    expect(shown(all)).toBe(after);
    expect(isDense(all)).toBe(true);
  });

  test('a key that stays where it is moves no other', () => {
    const position = { isFallback: false, sortOrder: 1 };
    expect(move(position, position, 4)).toEqual({ position, shifts: [] });
  });

  test('after any operations, positions are 0..n-1, nothing is lost, and the others keep their order', () => {
    const step = fc.record({
      kind: fc.constantFrom('insert', 'move'),
      pick: fc.nat(),
      isFallback: fc.boolean(),
      sortOrder: fc.option(fc.nat(12), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let all: PlacedKey[] = [];
        for (const [index, { kind, pick, isFallback, sortOrder }] of steps.entries()) {
          const chosen = all[pick % Math.max(all.length, 1)];
          if (kind === 'insert') {
            all.push({ id: `k${index}`, isFallback, sortOrder: section(all, isFallback).length });
          } else if (chosen !== undefined) {
            const without = (some: readonly PlacedKey[]) => some.filter((key) => key.id !== chosen.id);
            const after = moved(all, chosen.id, isFallback, sortOrder);
            expect(shown(without(after))).toBe(shown(without(all)));
            expect(after).toHaveLength(all.length);
            all = after;
          }
          expect(isDense(all)).toBe(true);
        }
      }),
    );
  });
});
