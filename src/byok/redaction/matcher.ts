import { decodings, mayBeEncoded, origins } from './decoded.js';
import { GramFilter } from './gram-filter.js';
import { forEachGram, type Patterns, strideFor } from './grams.js';
import { type Piece, PieceFinder, withoutPieces } from './piece-finder.js';
import type { Secret } from './secrets.js';
import { spellingsOf } from './spellings.js';

/** Shorter texts may be ordinary words; no provider issues such short secrets. */
const MIN_SECRET = 8;

/** How much of a secret is redacted in members, which are short texts. */
const MIN_PIECE = 16;

/** Only so much of a longer secret is searched for; the largest private key is shorter. */
const MAX_SECRET = 8192;

/** Strides of searches: members are short, content is long. */
const STRIDES = { inMembers: 2, inContent: 8 } as const;

/** Strides for private keys: half the stride makes their large indices less than half as large. */
const STRIDES_OF_LONG = { inMembers: 1, inContent: 4 } as const;
const MIN_LONG = 1024;

/** Content of more characters is not decoded: it is the model's own, and much of it takes long. */
const MAX_DECODED_CONTENT = 64 * 1024;

interface Search {
  readonly patterns: Patterns;
  readonly stride: number;
}

/** One for texts in members, one for content. */
interface Both<T> {
  readonly inMembers: T;
  readonly inContent: T;
}

/**
 * Redacts secrets in all their spellings. Nearly every text ends at a filter, which is made for the first one that is
 * long enough to contain a secret and kept; what finds the secrets in the others is large, and can be dropped.
 */
export class Matcher {
  readonly #secrets: readonly Secret[];
  readonly #minInMembers: number;
  readonly #minInContent: number;
  readonly #spell: (text: string) => readonly string[];
  readonly #onCompiled: (matcher: Matcher, characters: number) => void;
  #filter: { readonly grams: GramFilter; readonly strides: Both<number> } | undefined;
  #finders: Both<PieceFinder> | undefined;

  /**
   * Secrets of fewer than 8 characters are ignored. `spell` makes the spellings of the others; `onCompiled` is called
   * with their number of characters when what finds them has been built.
   */
  constructor(
    secrets: readonly Secret[],
    spell: (text: string) => readonly string[] = spellingsOf,
    onCompiled: (matcher: Matcher, characters: number) => void = () => undefined,
  ) {
    this.#spell = spell;
    this.#onCompiled = onCompiled;
    this.#secrets = secrets.map(bounded).filter(({ text }) => text.length >= MIN_SECRET);
    this.#minInMembers = Math.min(...this.#secrets.map(({ text }) => minPieceOf(text)));
    this.#minInContent = Math.min(...this.#secrets.map(({ minInContent }) => minInContent));
  }

  /**
   * Redacts secrets, and any 16 characters in a row of one of their spellings, also where their characters are escaped for
   * JSON, URLs or HTML, once or several times.
   */
  member(text: string): string {
    if (text.length < this.#minInMembers) return text;
    const plain = this.#passes(text, 'inMembers') ? this.#compiled().inMembers.find(text) : [];
    if (!mayBeEncoded(text)) return withoutPieces(text, plain);
    const all = [...plain, ...this.#encodedPieces(text)];
    return withoutPieces(
      text,
      all.toSorted((a, b) => a.start - b.start),
    );
  }

  /** Pieces that only a reader finds who decodes the text. */
  *#encodedPieces(text: string): Generator<Piece, void> {
    let rounds = 0;
    for (const decoded of decodings(text)) {
      rounds += 1;
      const pieces = this.#passes(decoded, 'inMembers') ? this.#compiled().inMembers.find(decoded) : [];
      if (pieces.length === 0) continue;
      const from = origins(text, rounds);
      for (const { start, end } of pieces) yield { start: from[start] ?? 0, end: from[end] ?? 0 };
    }
  }

  /**
   * Redacts whole secrets. A text that contains one is redacted as members are: one spelling may have been found
   * within a longer one, the rest of which would stay.
   */
  content(text: string): string {
    if (text.length < this.#minInContent) return text;
    return this.#isInContent(text) || this.#isInDecodedContent(text) ? this.member(text) : text;
  }

  #isInContent(text: string): boolean {
    return this.#passes(text, 'inContent') && this.#compiled().inContent.find(text).length > 0;
  }

  #isInDecodedContent(text: string): boolean {
    if (text.length > MAX_DECODED_CONTENT || !mayBeEncoded(text)) return false;
    for (const decoded of decodings(text)) if (this.#isInContent(decoded)) return true;
    return false;
  }

  /** Drops what finds the secrets, which is built again when needed. */
  drop(): void {
    this.#finders = undefined;
  }

  #passes(text: string, where: keyof Both<number>): boolean {
    this.#filter ??= filterOf(this.#searches());
    return this.#filter.grams.passes(text, this.#filter.strides[where]);
  }

  #compiled(): Both<PieceFinder> {
    if (this.#finders !== undefined) return this.#finders;
    const { inMembers, inContent } = this.#searches();
    this.#finders = { inMembers: finderOf(inMembers), inContent: finderOf(inContent) };
    const characters = inMembers.patterns.texts.reduce((sum, { length }) => sum + length, 0);
    this.#onCompiled(this, characters);
    return this.#finders;
  }

  #searches(): Both<Search> {
    const spelled = this.#secrets.flatMap((secret) =>
      this.#spell(secret.text).map((text) => ({ secret, text })),
    );
    const texts = spelled.map(({ text }) => text);
    const isLong = this.#secrets.some(({ text }) => text.length >= MIN_LONG);
    const strides = isLong ? STRIDES_OF_LONG : STRIDES;
    const search = (min: (secret: Secret, spelling: string) => number, stride: number) => {
      const patterns = { texts, mins: spelled.map(({ secret, text }) => min(secret, text)) };
      return { patterns, stride: strideFor(patterns, stride) };
    };
    return {
      inMembers: search(
        ({ text }, spelling) => (text.length < MIN_PIECE ? spelling.length : MIN_PIECE),
        strides.inMembers,
      ),
      inContent: search(minInContentOf, strides.inContent),
    };
  }
}

/** One filter for both, which share many grams. */
function filterOf({ inMembers, inContent }: Both<Search>) {
  const hashes: number[] = [];
  for (const { patterns, stride } of [inMembers, inContent]) {
    forEachGram(patterns, stride, (hash) => hashes.push(hash));
  }
  return {
    grams: new GramFilter(hashes),
    strides: { inMembers: inMembers.stride, inContent: inContent.stride },
  };
}

function finderOf({ patterns, stride }: Search): PieceFinder {
  return new PieceFinder(patterns, stride);
}

function bounded({ text, minInContent }: Secret): Secret {
  return { text: text.slice(0, MAX_SECRET), minInContent: Math.min(minInContent, MAX_SECRET) };
}

function minPieceOf({ length }: string): number {
  return Math.min(length, MIN_PIECE);
}

/** The same part of a secret has more characters in a longer spelling. */
function minInContentOf({ text, minInContent }: Secret, spelling: string): number {
  return Math.max(MIN_SECRET, Math.floor((spelling.length * minInContent) / text.length));
}
