import { GRAM, hashOf } from './grams.js';

/** Between this and twice as many, so that the number of words is a power of two. */
const MIN_BITS_PER_GRAM = 16;
const BITS_PER_WORD = 32;

const BYTE = 0xff;

/**
 * A Bloom filter of grams. It shows for nearly every text that it has no piece of the patterns, and takes some hundred
 * bytes for an API key in all its spellings: one is kept for every provider key in use. A gram sets two bits in each
 * of two words; most look-ups end at the first word.
 */
export class GramFilter {
  readonly #words: Int32Array;

  constructor(hashes: readonly number[]) {
    const words = Math.max(1, (hashes.length * MIN_BITS_PER_GRAM) / BITS_PER_WORD);
    this.#words = new Int32Array(2 ** Math.ceil(Math.log2(words)));
    for (const hash of hashes) {
      this.#add(hash);
      this.#add(otherOf(hash));
    }
  }

  /**
   * False when none of the grams at every `stride`-th character is one of the filter's; true also for some few in ten
   * thousand others. This is the hot loop: with a loop over the characters it takes four times as long.
   */
  passes(text: string, stride: number): boolean {
    const words = this.#words;
    const last = words.length - 1;
    const end = text.length - GRAM;
    for (let at = 0; at <= end; at += stride) {
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
      const bits = bitsOf(hash);
      if (((words[wordOf(hash) & last] ?? 0) & bits) !== bits) continue;
      if (this.#has(otherOf(hash))) return true;
    }
    return false;
  }

  #add(hash: number): void {
    const word = wordOf(hash) & (this.#words.length - 1);
    this.#words[word] = (this.#words[word] ?? 0) | bitsOf(hash);
  }

  #has(hash: number): boolean {
    const bits = bitsOf(hash);
    return ((this.#words[wordOf(hash) & (this.#words.length - 1)] ?? 0) & bits) === bits;
  }
}

/** Two bits of a word, by the last ten bits of the hash. */
function bitsOf(hash: number): number {
  return (1 << hash) | (1 << (hash >>> 5));
}

/** By the other bits. */
function wordOf(hash: number): number {
  return hash >>> 10;
}

/** Another hash of the same gram. */
function otherOf(hash: number): number {
  const mixed = Math.imul(hash, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}
