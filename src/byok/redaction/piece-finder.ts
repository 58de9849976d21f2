import { REDACTED } from '../redact.js';

/** Texts to find, and of each how many characters in a row count as found: at least 8. */
export interface Patterns {
  readonly texts: readonly string[];
  readonly mins: readonly number[];
}

/** Characters per look-up. */
const GRAM = 8;
const WORD = 4;
const BYTE = 0xff;

/** Bits of the Bloom filter per entry: fewer than one in 32 grams are false positives. */
const BITS_PER_ENTRY = 32;
const BITS_PER_WORD = 32;

/**
 * Limit of comparisons per text. Ordinary texts need few; only a repetitive secret in a text crafted for it needs more.
 */
const COMPARISONS_PER_CHARACTER = 16;
const MIN_COMPARISONS = 4096;

/** A previous entry and a place. */
const ENTRY_WORDS = 2;

/** The longest spelling of the longest secret has less than 2 ** 17 characters, and a credential few spellings. */
const POSITION_BITS = 20;
const MAX_POSITION = 2 ** POSITION_BITS - 1;

const NONE = -1;

/**
 * Finds pieces of patterns in one pass over a text, whatever the number of patterns. At every `stride`-th character of
 * the text, a gram of 8 characters is looked up by its hash; enough of the patterns' grams are indexed that each piece
 * of the minimum length contains one that is looked up. Hits are compared and extended to both sides.
 */
export class PieceFinder {
  readonly #texts: readonly string[];
  readonly #mins: readonly number[];
  readonly #stride: number;
  /** Of the filter, at the start of the table. */
  readonly #words: number;
  readonly #slots: number;
  /**
   * One array, since each has some 200 bytes beside its content, and there is one for every provider key in use. In this
   * order: the filter, a bit for each indexed hash by its last bits; the latest entry of each slot, by the last bits of
   * the hash; of each entry the previous one in its slot, and where its gram is, as `placeOf` makes it.
   */
  readonly #table: Int32Array;
  /** Of the last gram that passed the filter. */
  #hash = 0;

  /** @param stride Reduced to what the shortest pattern allows. */
  constructor({ texts, mins }: Patterns, stride: number) {
    this.#texts = texts;
    this.#mins = mins;
    this.#stride = Math.min(stride, ...mins.map((min) => min - GRAM + 1));
    const grams = texts.map((text, owner) => gramsOf(text, mins[owner] ?? text.length, this.#stride));
    const count = grams.reduce((sum, { length }) => sum + length, 0);
    this.#slots = 2 ** Math.ceil(Math.log2(count + 1));
    this.#words = (this.#slots * BITS_PER_ENTRY) / BITS_PER_WORD;
    const entries = this.#words + this.#slots;
    this.#table = new Int32Array(entries + count * ENTRY_WORDS).fill(NONE, this.#words, entries);
    let entry = entries;
    texts.forEach((text, owner) => {
      const bytes = Buffer.from(text, 'latin1');
      for (const position of grams[owner] ?? []) {
        this.#add(entry, owner, position, bytes);
        entry += ENTRY_WORDS;
      }
    });
  }

  #add(entry: number, owner: number, position: number, bytes: Buffer): void {
    const table = this.#table;
    const hash = hashOf(bytes.readInt32LE(position), bytes.readInt32LE(position + WORD));
    const word = wordOf(hash, this.#words);
    table[word] = (table[word] ?? 0) | bitOf(hash);
    const slot = this.#slotOf(hash);
    table[entry] = table[slot] ?? NONE;
    table[entry + 1] = placeOf(owner, position);
    table[slot] = entry;
  }

  #slotOf(hash: number): number {
    return this.#words + (hash & (this.#slots - 1));
  }

  /**
   * Replaces each piece, as long as it is, by `[credential]`. Returns the same string where there is none. A text that
   * takes too many comparisons is replaced as a whole.
   */
  replace(text: string): string {
    let at = this.#suspect(text, 0);
    if (at === NONE) return text;
    const search: Search = { text, from: 0, start: 0, end: 0, left: comparisonsFor(text) };
    let redacted = '';
    for (; at !== NONE; at = this.#suspect(text, at)) {
      if (!this.#follow(search, at)) {
        at += this.#stride;
        continue;
      }
      if (search.left < 0) return REDACTED;
      const isNextToAnother = search.start === search.from && redacted !== '';
      redacted += isNextToAnother ? '' : text.slice(search.from, search.start) + REDACTED;
      at = search.end;
      search.from = at;
    }
    return search.from === 0 ? text : redacted + text.slice(search.from);
  }

  /**
   * The position of the next gram that passes the filter. This is the hot loop: with a loop over the characters, or a
   * function call, it takes four times as long.
   */
  #suspect(text: string, from: number): number {
    const filter = this.#table;
    const words = this.#words;
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

  /** Whether there is a piece around the gram at this position; stores the longest one in `search`. */
  #follow(search: Search, at: number): boolean {
    let maxLength = 0;
    const table = this.#table;
    const latest = table[this.#slotOf(this.#hash)] ?? NONE;
    for (let entry = latest; entry !== NONE; entry = table[entry] ?? NONE) {
      search.left -= 1;
      if (search.left < 0) return true;
      const place = table[entry + 1] ?? 0;
      const owner = place >>> POSITION_BITS;
      const position = place & MAX_POSITION;
      const text = this.#texts[owner] ?? '';
      const after = sameAfter(search.text, at, text, position);
      search.left -= after;
      if (after < GRAM) continue;
      const before = sameBefore(search.text, at, search.from, text, position);
      search.left -= before;
      if (after + before < (this.#mins[owner] ?? text.length) || after + before <= maxLength) continue;
      maxLength = after + before;
      search.start = at - before;
      search.end = at + after;
    }
    return maxLength > 0;
  }
}

interface Search {
  readonly text: string;
  /** Everything before was copied to the output. */
  from: number;
  /** The last piece found. */
  start: number;
  end: number;
  /** Remaining comparisons. */
  left: number;
}

function comparisonsFor({ length }: string): number {
  return Math.max(MIN_COMPARISONS, length * COMPARISONS_PER_CHARACTER);
}

/**
 * The positions of grams to index: `stride` in a row, often enough that every piece of the minimum length contains them.
 * A pattern that is only found as a whole needs those at its start.
 */
function gramsOf(text: string, min: number, stride: number): number[] {
  const period = min - GRAM + 2 - stride;
  const count = min === text.length ? stride : text.length - GRAM + 1;
  return Array.from({ length: count }, (_, position) => position).filter(
    (position) => position % period < stride || count === stride,
  );
}

/** A gram's pattern and its position in it, in one word. */
function placeOf(owner: number, position: number): number {
  return (owner << POSITION_BITS) | position;
}

/** The hash of a gram's bytes, given as two numbers; wider characters count with their low byte. */
function hashOf(first: number, second: number): number {
  const mixed = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}

/** The index of the filter's word that has the hash's bit; `words` is a power of two. */
function wordOf(hash: number, words: number): number {
  return (hash >>> 5) & (words - 1);
}

function bitOf(hash: number): number {
  return 1 << (hash & (BITS_PER_WORD - 1));
}

/** How many characters are equal from these positions on. */
function sameAfter(text: string, at: number, pattern: string, position: number): number {
  let count = 0;
  const max = Math.min(text.length - at, pattern.length - position);
  while (count < max && text.charCodeAt(at + count) === pattern.charCodeAt(position + count)) count += 1;
  return count;
}

/** How many characters are equal before these positions, not going before `from`. */
function sameBefore(text: string, at: number, from: number, pattern: string, position: number): number {
  let count = 0;
  const max = Math.min(at - from, position);
  while (count < max && text.charCodeAt(at - 1 - count) === pattern.charCodeAt(position - 1 - count))
    count += 1;
  return count;
}
