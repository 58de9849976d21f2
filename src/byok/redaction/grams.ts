/** Texts to find, and of each how many characters in a row count as found: at least 8. */
export interface Patterns {
  readonly texts: readonly string[];
  readonly mins: readonly number[];
}

/** Characters per look-up. */
export const GRAM = 8;
const BYTE = 0xff;

/** Every how many characters of a text a gram is looked up: `most`, or what the shortest pattern allows. */
export function strideFor({ mins }: Patterns, most: number): number {
  return Math.min(most, ...mins.map((min) => min - GRAM + 1));
}

/**
 * Visits so many of the patterns' grams that each piece of the minimum length contains one that is looked up: `stride`
 * in a row, as often as that takes. For a pattern that is only found as a whole, those at its start are enough.
 */
export function forEachGram(
  { texts, mins }: Patterns,
  stride: number,
  visit: (hash: number, owner: number, position: number) => void,
): void {
  texts.forEach((text, owner) => {
    const min = mins[owner] ?? text.length;
    const period = min - GRAM + 2 - stride;
    const end = min === text.length ? stride : text.length - GRAM + 1;
    for (let position = 0; position < end; position += 1) {
      if (position % period >= stride && end !== stride) continue;
      visit(hashAt(text, position), owner, position);
    }
  });
}

/** The hash of the gram at this position; wider characters count with their low byte. */
export function hashAt(text: string, at: number): number {
  let [first, second] = [0, 0];
  for (let index = 0; index < GRAM / 2; index += 1) {
    first |= (text.charCodeAt(at + index) & BYTE) << (index * 8);
    second |= (text.charCodeAt(at + GRAM / 2 + index) & BYTE) << (index * 8);
  }
  return hashOf(first, second);
}

/** The hash of a gram's bytes, given as two numbers. */
export function hashOf(first: number, second: number): number {
  const mixed = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}
