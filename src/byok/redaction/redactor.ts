/**
 * What keeps a provider from telling what it was called with. Every text that a provider says passes through here
 * before it is shown, stored, logged or counted.
 *
 * Secret are a bare key; of credentials in JSON the members that are secret (`secrets.ts`); and what is made with a
 * credential: access tokens, the assertions that they are given for, signatures. Each is found as it stands and in the
 * spellings of `spellings.ts`, and `[credential]` takes its place.
 *
 * In members (identifiers, reasons, names, error messages, whatever is passed through without being known) 16 characters
 * in a row of any spelling are enough. Of a secret that is shorter than that, only a whole spelling is; one of fewer than
 * 8 characters is not looked for, since ordinary words would go. In content (text, reasoning, refusals, the arguments of
 * tools, media) only whole spellings go, of a private key as much as stands in a line. Each piece of a stream is looked
 * at by itself: a secret that comes in parts, over several pieces, is not found.
 */
import { makeRoom } from './compiled.js';
import { Matcher } from './matcher.js';
import { type Secret, type SecretHolder, secret, secretsOf } from './secrets.js';
import { spellingsOf } from './spellings.js';

/** What was made of each holder's secrets; it goes when the holder does. */
const matchers = new WeakMap<object, Matcher>();

/** Redacts what one provider says, to one call. A text without any secret comes back as it is. */
export class Redactor {
  readonly #matchers: Matcher[] = [];

  /** Finds a credential's own secrets. */
  static of(credential: SecretHolder): Redactor {
    return new Redactor().#with(matcherOf(credential, () => secretsOf(credential)));
  }

  /** Finds the text of a token too, for whose lifetime it remembers how. */
  addToken(token: { readonly text: string }): this {
    return this.#with(matcherOf(token, () => [secret(token.text)]));
  }

  /** Finds a secret too that is nobody's to keep. */
  add(text: string): this {
    return this.#with(new Matcher([secret(text)]));
  }

  /** Finds a call's signature too, as it stands alone: there is one for each call, which is of no use minutes later. */
  addSignature(text: string): this {
    return this.#with(new Matcher([secret(text)], (plain) => [plain]));
  }

  /** A text that is not content. */
  member(text: string): string {
    let told = text;
    for (const matcher of this.#matchers) told = matcher.member(told);
    return told;
  }

  /** A text of the answer itself, or a piece of one. */
  content(text: string): string {
    let told = text;
    for (const matcher of this.#matchers) told = matcher.content(told);
    return told;
  }

  #with(matcher: Matcher): this {
    if (!this.#matchers.includes(matcher)) this.#matchers.push(matcher);
    return this;
  }
}

function matcherOf(holder: object, secrets: () => readonly Secret[]): Matcher {
  const known = matchers.get(holder);
  if (known !== undefined) return known;
  const made = new Matcher(secrets(), spellingsOf, makeRoom);
  matchers.set(holder, made);
  return made;
}
