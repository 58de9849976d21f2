import { REDACTED } from '../redact.js';
import { forEachGram, GRAM, hashAt, type Patterns } from './grams.js';

/**
 * Limit of comparisons per text. Ordinary texts need few; only a repetitive secret in a text crafted for it needs more.
 */
const COMPARISONS_PER_CHARACTER = 16;
const MIN_COMPARISONS = 4096;

/** A previous entry and a location. */
const ENTRY_WORDS = 2;

/** The longest spelling of the longest secret has less than 2 ** 17 characters, and a credential few spellings. */
const POSITION_BITS = 20;
const MAX_POSITION = 2 ** POSITION_BITS - 1;

const NONE = -1;

/**
 * Finds pieces of patterns in one pass over a text, whatever the number of patterns. At every `stride`-th character of
 * the text, a gram of 8 characters is looked up by its hash; hits are compared and extended to both sides.
 */
export class PieceFinder {
  readonly #patterns: Patterns;
  readonly #stride: number;
  readonly #chains: number;
  /**
   * In this order: the latest entry of each chain, by the last bits of the hash; of each entry the previous one in its
   * chain, and where its gram is, as `locationOf` makes it.
   */
  readonly #table: Int32Array;

  /** @param stride As `strideFor` gives it. */
  constructor(patterns: Patterns, stride: number) {
    this.#patterns = patterns;
    this.#stride = stride;
    let count = 0;
    forEachGram(patterns, stride, () => {
      count += 1;
    });
    this.#chains = 2 ** Math.ceil(Math.log2(count + 1));
    this.#table = new Int32Array(this.#chains + count * ENTRY_WORDS).fill(NONE, 0, this.#chains);
    let entry = this.#chains;
    forEachGram(patterns, stride, (hash, owner, position) => {
      this.#add(entry, hash, locationOf(owner, position));
      entry += ENTRY_WORDS;
    });
  }

  #add(entry: number, hash: number, location: number): void {
    const chain = this.#chainOf(hash);
    this.#table[entry] = this.#table[chain] ?? NONE;
    this.#table[entry + 1] = location;
    this.#table[chain] = entry;
  }

  #chainOf(hash: number): number {
    return hash & (this.#chains - 1);
  }

  /** Where the pieces are, each as long as it is, in order; the whole text where it takes too many comparisons. */
  find(text: string): readonly Piece[] {
    const search: Search = { text, from: 0, start: 0, end: 0, left: comparisonsFor(text) };
    const pieces: Piece[] = [];
    for (let at = 0; at <= text.length - GRAM; ) {
      if (!this.#follow(search, at)) {
        at += this.#stride;
        continue;
      }
      if (search.left < 0) return [{ start: 0, end: text.length }];
      pieces.push({ start: search.start, end: search.end });
      at = search.end;
      search.from = at;
    }
    return pieces;
  }

  /** Whether there is a piece around the gram at this position; stores the longest one in `search`. */
  #follow(search: Search, at: number): boolean {
    let maxLength = 0;
    const { texts, mins } = this.#patterns;
    const table = this.#table;
    const latest = table[this.#chainOf(hashAt(search.text, at))] ?? NONE;
    for (let entry = latest; entry !== NONE; entry = table[entry] ?? NONE) {
      search.left -= 1;
      if (search.left < 0) return true;
      const location = table[entry + 1] ?? 0;
      const owner = location >>> POSITION_BITS;
      const position = location & MAX_POSITION;
      const text = texts[owner] ?? '';
      const after = sameAfter(search.text, at, text, position);
      search.left -= after;
      if (after < GRAM) continue;
      const before = sameBefore(search.text, at, search.from, text, position);
      search.left -= before;
      if (after + before < (mins[owner] ?? text.length) || after + before <= maxLength) continue;
      maxLength = after + before;
      search.start = at - before;
      search.end = at + after;
    }
    return maxLength > 0;
  }
}

/** A piece of a secret in a text. */
export interface Piece {
  readonly start: number;
  /** Behind its last character. */
  readonly end: number;
}

/** The text with `[credential]` for each of the pieces, and once for those that touch. */
export function withoutPieces(text: string, pieces: readonly Piece[]): string {
  if (pieces.length === 0) return text;
  let redacted = '';
  let from = 0;
  for (const { start, end } of pieces) {
    const touchesAnother = start <= from && redacted !== '';
    redacted += touchesAnother ? '' : text.slice(from, start) + REDACTED;
    from = Math.max(from, end);
  }
  return redacted + text.slice(from);
}

interface Search {
  readonly text: string;
  /** Where the last piece ended: no other begins before it. */
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

/** A gram's pattern and its position in it, in one word. */
function locationOf(owner: number, position: number): number {
  return (owner << POSITION_BITS) | position;
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
