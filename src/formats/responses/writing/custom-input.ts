/**
 * The input of a custom tool, which the model was offered as a function with one text, `input`: reads it out of the
 * arguments as they come, so that it streams.
 */
import { isObject, parseJson } from '../../json.js';
import { JsonEnd } from '../../json-end.js';

const BEGINNING = /^\s*\{\s*"input"\s*:\s*"/;

/** Arguments that have not begun so by then begin otherwise. */
const MAX_BEGINNING_CHARACTERS = 1_000;

/** What may follow the text: the end, or other members. */
const REST = /^\s*(?:,|\}\s*$|$)/;

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/** A backslash, `u` and four digits. */
const UNICODE_ESCAPE = 6;

export class CustomInput {
  readonly #end = new JsonEnd();
  /** Arguments that have not been read: all of them until the text begins. */
  #given = '';
  #state: 'before' | 'inside' | 'after' = 'before';
  #input = '';
  /** What of the input has not been taken. */
  #fresh = '';

  /** What is new of it. The first half of a surrogate pair waits for the second. */
  takeFresh(): string {
    const fresh = withoutHalf(this.#fresh);
    this.#fresh = this.#fresh.slice(fresh.length);
    return fresh;
  }

  add(piece: string): void {
    this.#end.read(piece);
    this.#given += piece;
    if (this.#state === 'before') {
      if (this.#given.length - piece.length > MAX_BEGINNING_CHARACTERS) return;
      const begun = BEGINNING.exec(this.#given);
      if (begun === null) return;
      this.#state = 'inside';
      this.#given = this.#given.slice(begun[0].length);
    }
    if (this.#state === 'inside') this.#decode();
  }

  /** The whole input, once no more arguments come, and whether it was cut short. */
  finish(): { readonly input: string; readonly isCut: boolean } {
    switch (this.#state) {
      case 'after':
        return { input: this.#input, isCut: !REST.test(this.#given) };
      case 'inside':
        return { input: withoutHalf(this.#input), isCut: true };
      case 'before':
        return this.#unlike();
    }
  }

  /** Models that don't keep to the schema send the text itself, or name it otherwise. */
  #unlike(): { readonly input: string; readonly isCut: boolean } {
    const given = this.#given;
    const value = parseJson(given);
    const texts = isObject(value) ? Object.entries(value) : [];
    const [name, text] = texts.find(([key]) => key === 'input') ?? texts[0] ?? [];
    const isMeant = typeof text === 'string' && (name === 'input' || texts.length === 1);
    if (isMeant) return { input: text, isCut: false };
    if (typeof value === 'string') return { input: value, isCut: false };
    const isCut = value === undefined && given.trimStart().startsWith('{') && !this.#end.isReached;
    return isCut ? { input: '', isCut } : { input: given, isCut };
  }

  #decode(): void {
    const given = this.#given;
    let at = 0;
    while (at < given.length) {
      const next = nextSpecial(given, at);
      this.#add(given.slice(at, next));
      at = next;
      if (given[at] === '"') {
        this.#state = 'after';
        at += 1;
        break;
      }
      const sequence = sequenceAt(given, at);
      if (sequence === undefined) break;
      this.#add(unescaped(sequence));
      at += sequence.length;
    }
    this.#given = given.slice(at);
  }

  #add(text: string): void {
    this.#input += text;
    this.#fresh += text;
  }
}

function withoutHalf(text: string): string {
  return isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.slice(0, -1) : text;
}

/** The next quotation mark or backslash, else the end. */
function nextSpecial(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (character === '"' || character === '\\') return at;
  }
  return text.length;
}

/** The escape at the backslash; undefined while it is not whole. */
function sequenceAt(text: string, at: number): string | undefined {
  const long = text.slice(at, at + UNICODE_ESCAPE);
  if (long[1] === 'u' && HEX.test(long.slice(2))) return long.length < UNICODE_ESCAPE ? undefined : long;
  return long.length < 2 ? undefined : long.slice(0, 2);
}

const HEX = /^[\da-f]*$/i;

/** Models write escapes that JSON does not have: they stand for themselves. */
function unescaped(sequence: string): string {
  const [, letter = ''] = sequence;
  if (sequence.length === UNICODE_ESCAPE) return String.fromCharCode(Number.parseInt(sequence.slice(2), 16));
  if (letter === '"' || letter === '\\' || letter === '/') return letter;
  return ESCAPES.get(letter) ?? sequence;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
