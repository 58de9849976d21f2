import { PieceFinder } from './piece-finder.js';
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

interface Finders {
  readonly inMembers: PieceFinder;
  readonly inContent: PieceFinder;
}

/**
 * Redacts secrets in all their spellings. The indices are built for the first text that is long enough to contain one;
 * most answers never need them.
 */
export class Matcher {
  readonly #secrets: readonly Secret[];
  readonly #minInMembers: number;
  readonly #minInContent: number;
  readonly #spell: (text: string) => readonly string[];
  readonly #onCompiled: (matcher: Matcher, characters: number) => void;
  #finders: Finders | undefined;

  /**
   * Secrets of fewer than 8 characters are ignored. `spell` makes the spellings of the others; `onCompiled` is called
   * with their number of characters when the indices have been built.
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

  /** Redacts secrets, and any 16 characters in a row of one of their spellings. */
  member(text: string): string {
    return text.length < this.#minInMembers ? text : this.#compiled().inMembers.replace(text);
  }

  /**
   * Redacts whole secrets. A text in which there is one is redacted as members are: one spelling may have been found
   * within a longer one, of which the rest would stay.
   */
  content(text: string): string {
    if (text.length < this.#minInContent) return text;
    return this.#compiled().inContent.replace(text) === text ? text : this.member(text);
  }

  /** Drops the indices, which are rebuilt when needed. */
  drop(): void {
    this.#finders = undefined;
  }

  #compiled(): Finders {
    if (this.#finders !== undefined) return this.#finders;
    const spelled = this.#secrets.flatMap((secret) =>
      this.#spell(secret.text).map((text) => ({ secret, text })),
    );
    const texts = spelled.map(({ text }) => text);
    const finder = (min: (secret: Secret, spelling: string) => number, stride: number) =>
      new PieceFinder({ texts, mins: spelled.map(({ secret, text }) => min(secret, text)) }, stride);
    const isLong = this.#secrets.some(({ text }) => text.length >= MIN_LONG);
    const strides = isLong ? STRIDES_OF_LONG : STRIDES;
    this.#finders = {
      inMembers: finder(
        ({ text }, spelling) => (text.length < MIN_PIECE ? spelling.length : MIN_PIECE),
        strides.inMembers,
      ),
      inContent: finder(minInContentOf, strides.inContent),
    };
    const characters = texts.join('').length;
    this.#onCompiled(this, characters);
    return this.#finders;
  }
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
