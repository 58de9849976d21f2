/**
 * Redacts the secrets that a provider was called with from everything that it answers, before it is shown, stored,
 * logged or counted: `docs/credentials.md#what-never-leaves`.
 *
 * Secrets are bare keys, the secret members of JSON credentials (`secrets.ts`), and what is derived from a credential:
 * access tokens, the assertions that they are exchanged for, signatures. They are found as they are and in the spellings
 * of `spellings.ts`, and replaced by `[credential]`.
 *
 * In members (identifiers, reasons, names, error messages, unknown members) 16 characters in a row of any spelling are
 * redacted. Of a shorter secret only a whole spelling is; one of fewer than 8 characters is ignored, since it may be an
 * ordinary word. In content (text, reasoning, refusals, arguments of tools, media) only whole spellings are redacted; of
 * a private key, a line of it; what contains one is redacted as members are. Chunks of a stream are redacted one by one:
 * a secret split over chunks is not found.
 */

import { Matcher } from './matcher.js';
import { trackMemory } from './matcher-memory.js';
import { type CredentialOrEntry, type Secret, secret, secretsOf } from './secrets.js';
import { spellingsOf } from './spellings.js';

/** One matcher per credential or token. */
const matchers = new WeakMap<object, Matcher>();

/** Redacts the texts of one call. A text without secrets is returned unchanged. */
export class Redactor {
  readonly #matchers: Matcher[] = [];

  /** Redacts the credential's own secrets. */
  static of(credential: CredentialOrEntry): Redactor {
    return new Redactor().#with(matcherOf(credential, () => secretsOf(credential)));
  }

  /** Also redacts an access token, for whose lifetime the matcher is cached. */
  addToken(token: { readonly text: string }): this {
    return this.#with(matcherOf(token, () => [secret(token.text)]));
  }

  /** Also redacts this text, without caching the matcher. */
  add(text: string): this {
    return this.#with(new Matcher([secret(text)]));
  }

  /** Also redacts a request's signature, unencoded only: each call has another one, which expires within minutes. */
  addSignature(text: string): this {
    return this.#with(new Matcher([secret(text)], (plain) => [plain]));
  }

  /** Redacts a text that is not content. */
  member(text: string): string {
    let redacted = text;
    for (const matcher of this.#matchers) redacted = matcher.member(redacted);
    return redacted;
  }

  /** Redacts text of the answer itself, or a chunk of it. */
  content(text: string): string {
    let redacted = text;
    for (const matcher of this.#matchers) redacted = matcher.content(redacted);
    return redacted;
  }

  #with(matcher: Matcher): this {
    if (!this.#matchers.includes(matcher)) this.#matchers.push(matcher);
    return this;
  }
}

function matcherOf(owner: object, secrets: () => readonly Secret[]): Matcher {
  const known = matchers.get(owner);
  if (known !== undefined) return known;
  const matcher = new Matcher(secrets(), spellingsOf, trackMemory);
  matchers.set(owner, matcher);
  return matcher;
}
