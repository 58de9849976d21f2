import { exactText } from './exact-json.js';
import type { Rng } from './rng.js';
import { text } from './words.js';

export type Json = null | boolean | number | bigint | string | Json[] | { [name: string]: Json };

/** What a tool is called with. */
export function input(rng: Rng): { [name: string]: Json } {
  const members: [string, Json][] = [
    ['path', `/tmp/${rng.hex(6)}.txt`],
    ['limit', rng.below(500)],
    ['ratio', rng.below(1000) / 8],
    ['note', text(rng)],
    ['all', rng.chance(0.5)],
    ['none', null],
    ['lines', [1, { from: rng.below(9), to: null }, []]],
    ['options', { deep: { er: rng.hex(3) } }],
  ];
  return Object.fromEntries(rng.sample(members, 1 + rng.below(4)));
}

/** More digits than a double has. */
export function bigInput(rng: Rng): { [name: string]: Json } {
  return {
    id: BigInt(`90071992547409${10 + rng.below(80)}${rng.below(1e6)}`),
    at: { ids: [2n ** 64n, -(2n ** 70n)] },
  };
}

export function inputText(rng: Rng): string {
  const value = input(rng);
  return rng.chance(0.3) ? JSON.stringify(value, null, 2) : exactText(value);
}

/** Arguments that are no object, and why. */
export const ODD_ARGUMENTS = {
  'no JSON': (rng: Rng) => `{"path": "/tmp/${rng.hex(6)}", "content": "cut of`,
  'text alone': (rng: Rng) => text(rng),
  'a list': (rng: Rng) => `["${rng.hex(6)}"]`,
  'a JSON text': (rng: Rng) => `"${rng.hex(6)}"`,
  null: () => 'null',
  empty: () => '',
} as const;
