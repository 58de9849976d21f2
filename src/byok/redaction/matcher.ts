import { PieceFinder } from './piece-finder.js';
import type { Secret } from './secrets.js';
import { spellingsOf } from './spellings.js';

/** Shorter texts are ordinary words as often as secrets, and no provider gives out any. */
const MIN_SECRET = 8;

/** As much of a secret as gives it away in an identifier, where nobody writes at length. */
const MIN_PIECE = 16;

/** Of a longer secret so much is looked for: the largest private key has less. */
const MAX_SECRET = 8192;

/** Strides of searches: members are short, content is long. */
const STRIDES = { inMembers: 2, inContent: 8 } as const;

/** A private key, of which the indices would be large: half the strides make them less than half as large. */
const STRIDES_OF_LONG = { inMembers: 1, inContent: 4 } as const;
const MIN_LONG = 1024;

/** What is made of secrets to find them by. */
interface Finders {
  readonly inMembers: PieceFinder;
  readonly inContent: PieceFinder;
}

/**
 * Finds some secrets in all their spellings. What that takes is made at the first text that could hold one: until then,
 * which is for most answers always, nothing of a secret is written down anew.
 */
export class Matcher {
  readonly #secrets: readonly Secret[];
  readonly #minInMembers: number;
  readonly #minInContent: number;
  readonly #spell: (text: string) => readonly string[];
  readonly #onCompiled: (matcher: Matcher, characters: number) => void;
  #finders: Finders | undefined;

  /**
   * Secrets of fewer than 8 characters are not looked for. `spell` says in which spellings the others are, `onCompiled`
   * hears of how many characters those are, once they have been made.
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

  /** A member without secrets and without any 16 characters or more of a spelling of one. */
  member(text: string): string {
    return text.length < this.#minInMembers ? text : this.#compiled().inMembers.replace(text);
  }

  /** Content without whole secrets. */
  content(text: string): string {
    return text.length < this.#minInContent ? text : this.#compiled().inContent.replace(text);
  }

  /** Forgets what was made of the secrets: it is made again where it is needed. */
  drop(): void {
    this.#finders = undefined;
  }

  #compiled(): Finders {
    if (this.#finders !== undefined) return this.#finders;
    const spelled = this.#secrets.map((secret) => ({ secret, spellings: this.#spell(secret.text) }));
    const patterns = (min: (secret: Secret, spelling: string) => number) =>
      spelled.flatMap(({ secret, spellings }) => spellings.map((text) => ({ text, min: min(secret, text) })));
    const isLong = this.#secrets.some(({ text }) => text.length >= MIN_LONG);
    const strides = isLong ? STRIDES_OF_LONG : STRIDES;
    this.#finders = {
      inMembers: new PieceFinder(
        patterns(({ text }, spelling) => (text.length < MIN_PIECE ? spelling.length : MIN_PIECE)),
        strides.inMembers,
      ),
      inContent: new PieceFinder(patterns(minInContentOf), strides.inContent),
    };
    const characters = spelled.flatMap(({ spellings }) => spellings).join('').length;
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

/** In a longer spelling the same part of the secret has more characters. */
function minInContentOf({ text, minInContent }: Secret, spelling: string): number {
  return Math.max(MIN_SECRET, Math.floor((spelling.length * minInContent) / text.length));
}
