/** Tells a provider's own words from those of the request that it may only repeat. */
import type { ApiHeaders } from '../../formats/api-headers.js';
import { isObject } from '../../formats/json.js';
import { UpstreamFailure } from '../ports/failure.js';
import { type SentRequest, sentBody } from '../ports/inference-request.js';

/** Texts of a request that are short, or share a long word with a phrase, and are compared with it; of more it counts as the request's. */
const MAX_COMPARED_CHARACTERS = 1024 * 1024;

/** Parts of a phrase that are put together, such as the texts of a message: always compared. */
const SHORT_CHARACTERS = 64;

/** Shorter words are in nearly every text, also in that of an image. */
const LONG_CHARACTERS = 5;

/** Members whose values are words of the format, not the caller's. */
const FORMAT_WORDS: ReadonlySet<string> = new Set(['role', 'type']);

/** Providers begin with their own words; what stands behind a quotation mark may be the caller's. */
const QUOTATION = /['"`‘’“”«»]/;

export function hasQuotation(text: string): boolean {
  return QUOTATION.test(text);
}

/** What a request's own words may not make of a failure, and where they stand. */
export interface CallersWords {
  readonly sent: SentRequest;
  readonly apiHeaders?: ApiHeaders | undefined;
}

/** The failure; without the kind that only words make of it which the request says too. */
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

/** The texts of a request's body, looked through only once a refusal says something that would be learned from. */
export class CallerText {
  readonly #body: object;

  constructor(body: object) {
    this.#body = body;
  }

  /** Whether the request says it too, whatever stands between its letters and digits, or says too much to tell. */
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

  /** Whether the word is a value of the request, or the end of a name that the caller has made. */
  has(word: string): boolean {
    for (const { text, isName } of textsIn(this.#body)) {
      if (text === word ? !isName : isName && endsWithWord(text, word)) return true;
    }
    return false;
  }

  /** Whether the word is the name of a member below those of the request itself. */
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
  /** Of a member of the request itself. */
  readonly isTop: boolean;
}

/** In the order of the document, but for the names of an object, which come before all of its values. */
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
