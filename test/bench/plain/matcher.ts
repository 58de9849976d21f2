import { REDACTED } from '../../../src/byok/redact.js';
import { decodings, mayBeEncoded } from '../../../src/byok/redaction/decoded.js';
import type { Secret } from '../../../src/byok/redaction/secrets.js';
import { spellingsOf } from '../../../src/byok/redaction/spellings.js';

const MIN_SECRET = 8;
const MIN_PIECE = 16;

/**
 * Finds secrets with what the language has: whole spellings by `includes`, pieces of 16 characters in a set. A text with one
 * is redacted as a whole.
 */
export class Matcher {
  readonly #whole: readonly string[];
  readonly #pieces = new Set<string>();
  readonly #short: readonly string[];

  constructor(secrets: readonly Secret[], spell: (text: string) => readonly string[] = spellingsOf) {
    const known = secrets.filter(({ text }) => text.length >= MIN_SECRET);
    this.#whole = known.flatMap(({ text }) => spell(text));
    this.#short = known.filter(({ text }) => text.length < MIN_PIECE).flatMap(({ text }) => spell(text));
    for (const text of this.#whole) {
      for (let at = 0; at + MIN_PIECE <= text.length; at += 1)
        this.#pieces.add(text.slice(at, at + MIN_PIECE));
    }
  }

  member(text: string): string {
    if (this.#isInMember(text)) return REDACTED;
    if (!mayBeEncoded(text)) return text;
    for (const decoded of decodings(text)) if (this.#isInMember(decoded)) return REDACTED;
    return text;
  }

  content(text: string): string {
    if (this.#isInContent(text)) return REDACTED;
    if (!mayBeEncoded(text)) return text;
    for (const decoded of decodings(text)) if (this.#isInContent(decoded)) return REDACTED;
    return text;
  }

  drop(): void {}

  #isInMember(text: string): boolean {
    for (let at = 0; at + MIN_PIECE <= text.length; at += 1) {
      if (this.#pieces.has(text.slice(at, at + MIN_PIECE))) return true;
    }
    return this.#short.some((spelling) => text.includes(spelling));
  }

  #isInContent(text: string): boolean {
    return text.length >= MIN_SECRET && this.#whole.some((spelling) => text.includes(spelling));
  }
}
