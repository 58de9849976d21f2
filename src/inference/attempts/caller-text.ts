/** Distinguishes a provider's own words from words of the request that it may only repeat. */
import type { ApiHeaders } from '../../formats/api-headers.js';
import { isObject } from '../../formats/json.js';
import { UpstreamFailure } from '../ports/failure.js';
import { type SentRequest, sentBody } from '../ports/inference-request.js';

/**
 * Maximum of text that is compared with a phrase: short texts of a request, and those that share a long word with it.
 * If there is more, the phrase counts as the request's.
 */
const MAX_COMPARED_CHARACTERS = 1024 * 1024;

/** Texts up to this length are always compared: joined, as the texts of a message are, they may form the phrase. */
const SHORT_CHARACTERS = 64;

/** Shorter words occur in nearly every text, even in that of an image. */
const LONG_CHARACTERS = 5;

/** Members whose values are words of the format, not of the caller. */
const FORMAT_WORDS: ReadonlySet<string> = new Set(['role', 'type']);

/** Providers begin with their own words. Anything after a quotation mark may be the caller's. */
const QUOTATION = /['"`‘’“”«»]/;

export function hasQuotation(text: string): boolean {
  return QUOTATION.test(text);
}

/** The caller's words, which must not decide what a failure is. */
export interface CallersWords {
  readonly sent: SentRequest;
  readonly apiHeaders?: ApiHeaders | undefined;
}

/** The failure, unless its kind follows only from words that the request contains too: then without that kind. */
export function unlessRepeated(
  failure: UpstreamFailure,
  { sent, apiHeaders = {} }: CallersWords,
): UpstreamFailure {
  const { wording } = failure;
  const words = [sentBody(sent), ...Object.values(apiHeaders)];
  if (wording === null || !new CallerText(words).says(wording.phrase)) return failure;
  return new UpstreamFailure(failure.message, {
    ...wording.otherwise,
    status: failure.status,
    providerError: failure.providerError ?? {},
    body: failure.body,
    cause: failure,
  });
}

/** The texts of a request's body. They are searched only when a refusal says something that would be learned. */
export class CallerText {
  readonly #body: object;

  constructor(body: object) {
    this.#body = body;
  }

  /**
   * Whether the request contains the phrase, comparing only letters and digits. True if it has too much text to tell.
   */
  says(phrase: string): boolean {
    const words = longWords(phrase);
    const names: string[] = [];
    const values: string[] = [];
    let characters = 0;
    for (const { text, isName } of textsIn(this.#body)) {
      if (!isCompared(text, words)) continue;
      (isName ? names : values).push(text);
      characters += text.length;
      if (characters > MAX_COMPARED_CHARACTERS) return true;
    }
    return [names, values].some((texts) => lettersOf(texts.join('')).includes(lettersOf(phrase)));
  }

  /** Whether the word is a value in the request, or the end of a name that the caller made up. */
  has(word: string): boolean {
    for (const { text, isName } of textsIn(this.#body)) {
      if (text === word ? !isName : isName && endsWithWord(text, word)) return true;
    }
    return false;
  }

  /** Whether the word is the name of a nested member. */
  namesBelow(word: string): boolean {
    for (const { text, isName, isTop } of textsIn(this.#body)) {
      if (isName && !isTop && text === word) return true;
    }
    return false;
  }
}

interface Text {
  readonly text: string;
  readonly isName: boolean;
  /** Whether it belongs to a member of the request itself. */
  readonly isTop: boolean;
}

/** Yields texts in the order of the document, except that an object's names come before all of its values. */
function* textsIn(body: object): Generator<Text> {
  const open: { readonly value: unknown; readonly isTop: boolean }[] = [{ value: body, isTop: true }];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const { value, isTop } = one;
    if (typeof value === 'string') yield { text: value, isName: false, isTop };
    const inside: unknown[] = Array.isArray(value) ? value : [];
    if (isObject(value)) {
      for (const [name, member] of Object.entries(value)) {
        yield { text: name, isName: true, isTop };
        if (!(FORMAT_WORDS.has(name) && typeof member === 'string')) inside.push(member);
      }
    }
    for (let last = inside.length - 1; last >= 0; last--) open.push({ value: inside[last], isTop: false });
  }
}

function isCompared(text: string, words: readonly string[]): boolean {
  if (text.length <= SHORT_CHARACTERS) return true;
  const lower = text.toLowerCase();
  return words.some((word) => lower.includes(word));
}

function longWords(phrase: string): readonly string[] {
  const words = phrase
    .toLowerCase()
    .split(/\W+/)
    .filter((word) => word !== '');
  const long = words.filter(({ length }) => length >= LONG_CHARACTERS);
  return long.length > 0 ? long : words;
}

function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

function endsWithWord(text: string, word: string): boolean {
  return (
    text.length > word.length && text.endsWith(word) && /\W/.test(text.charAt(text.length - word.length - 1))
  );
}
