/** A generator of numbers that a seed determines. */
export interface Rng {
  /** A whole number from 0 to below `count`. */
  below(count: number): number;
  chance(probability: number): boolean;
  pick<T>(values: readonly T[]): T;
  /** `count` different values, in random order; all where there are fewer. */
  sample<T>(values: readonly T[], count: number): T[];
  /** Hexadecimal digits. */
  hex(length: number): string;
}

/** Mulberry32, of Tommy Ettinger: 32 bits of state, the same numbers on every machine. */
export function rngOf(seed: number): Rng {
  let state = (seed * 0x9e3779b1 + 0x85ebca6b) | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number): number => Math.floor(next() * count);
  return {
    below,
    chance: (probability) => next() < probability,
    pick<T>(values: readonly T[]): T {
      const value = values[below(values.length)];
      if (value === undefined && values.length === 0) throw new Error('nothing to pick from');
      return value as T;
    },
    sample<T>(values: readonly T[], count: number): T[] {
      const left = [...values];
      const taken: T[] = [];
      while (taken.length < count && left.length > 0) taken.push(...left.splice(below(left.length), 1));
      return taken;
    },
    hex: (length) => Array.from({ length }, () => below(16).toString(16)).join(''),
  };
}
