import { REDACTED } from '../redact.js';

/** A text to find, and how much of it counts as found: at least 8 characters. */
export interface Pattern {
  readonly text: string;
  readonly min: number;
}

/** Characters that are looked up at once. */
const GRAM = 8;
const WORD = 4;
const BYTE = 0xff;

/** Bits of the filter for each entry: of what is in no pattern, it lets less than one in 32 pass. */
const BITS_PER_ENTRY = 32;
const BITS_PER_WORD = 32;

/**
 * Comparisons that a text may cost: a few for each of its characters, where it holds hardly anything that looks like a
 * secret. Only a secret that repeats itself, in a text that was made for it, costs more.
 */
const COMPARISONS_PER_CHARACTER = 16;
const MIN_COMPARISONS = 4096;

const NONE = -1;
const NO_PATTERN: Pattern = { text: '', min: Number.POSITIVE_INFINITY };

/**
 * Finds pieces of patterns in one pass over a text, whatever the number of patterns. Of every `stride` characters of
 * the text, one gram of 8 is looked up by its hash; so many of the patterns' grams are indexed that each piece of the
 * least length has one that is looked up. What is found is compared, and followed to both sides.
 */
export class PieceFinder {
  readonly #patterns: readonly Pattern[];
  readonly #stride: number;
  /** A bit for each hash that is indexed, by its last bits. */
  readonly #filter: Int32Array;
  /** The latest entry of each slot, by the last bits of the hash. */
  readonly #heads: Int32Array;
  /** By entry: the one before it in its slot, the hash, the pattern, the gram's position in it. */
  readonly #previous: Int32Array;
  readonly #hashes: Int32Array;
  readonly #owners: Int32Array;
  readonly #positions: Int32Array;
  /** Of the gram that was let pass last. */
  #hash = 0;

  /** @param stride At most what the patterns admit is taken. */
  constructor(patterns: readonly Pattern[], stride: number) {
    this.#patterns = patterns;
    this.#stride = patterns.reduce((least, { min }) => Math.min(least, min - GRAM + 1), stride);
    const grams = patterns.map((pattern) => gramsOf(pattern, this.#stride));
    const count = grams.reduce((sum, { length }) => sum + length, 0);
    const slots = 2 ** Math.ceil(Math.log2(count + 1));
    this.#filter = new Int32Array((slots * BITS_PER_ENTRY) / BITS_PER_WORD);
    this.#heads = new Int32Array(slots).fill(NONE);
    this.#previous = new Int32Array(count);
    this.#hashes = new Int32Array(count);
    this.#owners = new Int32Array(count);
    this.#positions = new Int32Array(count);
    let entry = 0;
    patterns.forEach(({ text }, owner) => {
      const bytes = Buffer.from(text, 'latin1');
      for (const position of grams[owner] ?? []) this.#add(entry++, owner, position, bytes);
    });
  }

  #add(entry: number, owner: number, position: number, bytes: Buffer): void {
    const hash = hashOf(bytes.readInt32LE(position), bytes.readInt32LE(position + WORD));
    const slot = hash & (this.#heads.length - 1);
    const word = wordOf(hash, this.#filter.length);
    this.#filter[word] = (this.#filter[word] ?? 0) | bitOf(hash);
    this.#previous[entry] = this.#heads[slot] ?? NONE;
    this.#heads[slot] = entry;
    this.#hashes[entry] = hash;
    this.#owners[entry] = owner;
    this.#positions[entry] = position;
  }

  /**
   * The text with a mark in the place of each piece, as long as it goes; the same text where there is none. A text that
   * costs too many comparisons is replaced as a whole.
   */
  replace(text: string): string {
    let at = this.#suspect(text, 0);
    if (at === NONE) return text;
    const search: Search = { text, from: 0, start: 0, end: 0, left: comparisonsFor(text) };
    let told = '';
    for (; at !== NONE; at = this.#suspect(text, at)) {
      if (!this.#follow(search, at)) {
        at += this.#stride;
        continue;
      }
      if (search.left < 0) return REDACTED;
      const isNextToAnother = search.start === search.from && told !== '';
      told += isNextToAnother ? '' : text.slice(search.from, search.start) + REDACTED;
      at = search.end;
      search.from = at;
    }
    return search.from === 0 ? text : told + text.slice(search.from);
  }

  /**
   * The next gram from there on that the filter lets pass. All of a text goes through here: written as a loop over the
   * characters, or as a call of a function, it takes four times as long.
   */
  #suspect(text: string, from: number): number {
    const filter = this.#filter;
    const words = filter.length;
    const stride = this.#stride;
    const end = text.length - GRAM;
    for (let at = from; at <= end; at += stride) {
      const first =
        (text.charCodeAt(at) & BYTE) |
        ((text.charCodeAt(at + 1) & BYTE) << 8) |
        ((text.charCodeAt(at + 2) & BYTE) << 16) |
        (text.charCodeAt(at + 3) << 24);
      const second =
        (text.charCodeAt(at + 4) & BYTE) |
        ((text.charCodeAt(at + 5) & BYTE) << 8) |
        ((text.charCodeAt(at + 6) & BYTE) << 16) |
        (text.charCodeAt(at + 7) << 24);
      const hash = hashOf(first, second);
      if (((filter[wordOf(hash, words)] ?? 0) & bitOf(hash)) === 0) continue;
      this.#hash = hash;
      return at;
    }
    return NONE;
  }

  /** Whether a piece is around the gram at this position; the longest one is left in `search`. */
  #follow(search: Search, at: number): boolean {
    let longest = 0;
    const hash = this.#hash;
    const head = this.#heads[hash & (this.#heads.length - 1)] ?? NONE;
    for (let entry = head; entry !== NONE; entry = this.#previous[entry] ?? NONE) {
      search.left -= 1;
      if (search.left < 0) return true;
      if (this.#hashes[entry] !== hash) continue;
      const { text, min } = this.#patterns[this.#owners[entry] ?? NONE] ?? NO_PATTERN;
      const position = this.#positions[entry] ?? 0;
      const after = sameAfter(search.text, at, text, position);
      const before = sameBefore(search.text, at, search.from, text, position);
      search.left -= after + before;
      if (after < GRAM || after + before < min || after + before <= longest) continue;
      longest = after + before;
      search.start = at - before;
      search.end = at + after;
    }
    return longest > 0;
  }
}

/** Where a search stands. */
interface Search {
  readonly text: string;
  /** What is before has been told. */
  from: number;
  /** The piece that was found last. */
  start: number;
  end: number;
  /** Comparisons that may still be made. */
  left: number;
}

function comparisonsFor({ length }: string): number {
  return Math.max(MIN_COMPARISONS, length * COMPARISONS_PER_CHARACTER);
}

/**
 * The positions of grams to index: `stride` in a row, so often that they are within every piece of the least length. A
 * pattern that is to be found as a whole needs those of its beginning alone.
 */
function gramsOf({ text, min }: Pattern, stride: number): number[] {
  const period = min - GRAM + 2 - stride;
  const count = min === text.length ? stride : text.length - GRAM + 1;
  return Array.from({ length: count }, (_, position) => position).filter(
    (position) => position % period < stride || count === stride,
  );
}

/** Of the bytes of a gram, as two numbers; of characters that are more than a byte, the last one. */
function hashOf(first: number, second: number): number {
  const mixed = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}

/** Of the filter's words, a power of two in number, the one that has the hash's bit. */
function wordOf(hash: number, words: number): number {
  return (hash >>> 5) & (words - 1);
}

function bitOf(hash: number): number {
  return 1 << (hash & (BITS_PER_WORD - 1));
}

/** How many characters from these positions on are the same. */
function sameAfter(text: string, at: number, pattern: string, position: number): number {
  let count = 0;
  const most = Math.min(text.length - at, pattern.length - position);
  while (count < most && text.charCodeAt(at + count) === pattern.charCodeAt(position + count)) count += 1;
  return count;
}

/** How many characters before these positions are the same, none of them before `from`. */
function sameBefore(text: string, at: number, from: number, pattern: string, position: number): number {
  let count = 0;
  const most = Math.min(at - from, position);
  while (count < most && text.charCodeAt(at - 1 - count) === pattern.charCodeAt(position - 1 - count))
    count += 1;
  return count;
}
