import { isObject } from '../../base/json/json-value.js';
import { compareDecimals, type Decimal, formatDecimal, parseDecimal } from '../../base/money.js';
import { nearestNames } from '../../base/nearest.js';
import { CatalogViolations } from './violation-list.js';

/** Looks up a member of an opened object. */
export type MemberLookup = (name: string) => JsonReader;

/** A path, or the reader that a value was found in. */
type Parent = string | JsonReader;

/** The member's name or the item's index; null for the place itself. */
type Key = string | number | null;

const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const MAX_TEXT_LENGTH = 10_000;

/**
 * USD for a token, a request, an image or a search: far more than any provider asks for, and few enough that what is
 * charged can be summed.
 */
const MAX_PRICE_USD = 10_000;

/**
 * A value in a JSON document, with its path. Reading an unexpected value adds a violation and returns a placeholder, so
 * that one pass finds all violations; results are only valid while the `CatalogViolations` are empty.
 */
export class JsonReader {
  readonly value: unknown;
  readonly #violations: CatalogViolations;
  readonly #parent: Parent;
  readonly #key: Key;

  /** `place` is the path, or where the value is found by its key. */
  constructor(value: unknown, parent: Parent, violations: CatalogViolations, key: Key = null) {
    this.value = value;
    this.#violations = violations;
    this.#parent = parent;
    this.#key = key;
  }

  /** Composed when it is asked for: a catalogue has a hundred thousand values, and hardly any violation. */
  get path(): string {
    const parent = typeof this.#parent === 'string' ? this.#parent : this.#parent.path;
    if (this.#key === null) return parent;
    if (typeof this.#key === 'number') return `${parent}[${this.#key}]`;
    if (!PLAIN_NAME.test(this.#key)) return `${parent}[${JSON.stringify(this.#key)}]`;
    return parent === '' ? this.#key : `${parent}.${this.#key}`;
  }

  /** Adds a violation for this path. */
  violation(rule: string, message: string): void {
    this.#violations.add(this.path, rule, message);
  }

  /** The same path with another value. */
  with(value: unknown): JsonReader {
    return new JsonReader(value, this.#parent, this.#violations, this.#key);
  }

  /** The same value at the same path, whose violations are collected in another list. */
  collecting(violations: CatalogViolations): JsonReader {
    return new JsonReader(this.value, this.#parent, violations, this.#key);
  }

  /** Opens an object with no members but these; other members are violations that suggest the nearest name. */
  object(known: readonly string[]): MemberLookup {
    const members = this.openObject();
    for (const name of Object.keys(asRecord(this.value))) {
      if (known.includes(name)) continue;
      const [nearest] = nearestNames(name, known);
      const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
      members(name).violation('unknown_member', `is not a known member${hint}`);
    }
    return members;
  }

  /** Opens an object whose unknown members are ignored. */
  openObject(): MemberLookup {
    const isInvalid = !isObject(this.value);
    if (isInvalid) this.#typeViolation('an object');
    const record = asRecord(this.value);
    const violations = isInvalid ? new CatalogViolations() : this.#violations;
    return (name) =>
      new JsonReader(Object.hasOwn(record, name) ? record[name] : undefined, this, violations, name);
  }

  /** The members of an object that is used as a map. */
  entries(): [name: string, at: JsonReader][] {
    const members = this.openObject();
    return Object.keys(asRecord(this.value)).map((name) => [name, members(name)]);
  }

  /** `max`: the most items. */
  list<T>(read: (at: JsonReader) => T, max = Number.POSITIVE_INFINITY): T[] {
    if (!Array.isArray(this.value)) {
      this.#typeViolation('an array');
      return [];
    }
    if (this.value.length > max) {
      this.violation('too_long', `has more than ${max} items`);
      return [];
    }
    return this.value.map((item, index) => read(new JsonReader(item, this, this.#violations, index)));
  }

  /** null where the member is missing or null. */
  orNull<T>(read: (at: JsonReader) => T): T | null {
    return this.value === undefined || this.value === null ? null : read(this);
  }

  /** `fallback` where the member is missing; null is passed to `read`. */
  or<F, T>(fallback: F, read: (at: JsonReader) => T): F | T {
    return this.value === undefined ? fallback : read(this);
  }

  /** A text of 1 to 10,000 characters. */
  text(): string {
    if (typeof this.value !== 'string') {
      this.#typeViolation('a string');
      return '';
    }
    if (this.value === '') this.violation('empty', 'must not be empty');
    if (this.value.length > MAX_TEXT_LENGTH)
      this.violation('too_long', `is longer than ${MAX_TEXT_LENGTH} characters`);
    return this.value;
  }

  /** A text that matches; `expected` describes the pattern in the violation's message. */
  matching(pattern: RegExp, expected: string): string {
    const text = this.text();
    if (text !== '' && !pattern.test(text)) this.violation('pattern', `must be ${expected}`);
    return text;
  }

  boolean(): boolean {
    if (typeof this.value === 'boolean') return this.value;
    this.#typeViolation('true or false');
    return false;
  }

  /** A finite number from `min` to `max`. */
  number(min: number, max: number): number {
    if (typeof this.value !== 'number' || !Number.isFinite(this.value)) {
      this.#typeViolation('a number');
      return min;
    }
    if (this.value < min || this.value > max) this.violation('range', `must be from ${min} to ${max}`);
    return this.value;
  }

  /** An integer of at least `min`. */
  integer(min: number): number {
    const value = this.number(-Number.MAX_VALUE, Number.MAX_VALUE);
    if (!Number.isSafeInteger(value) && typeof this.value === 'number')
      this.violation('integer', 'must be an integer');
    else if (value < min && typeof this.value === 'number')
      this.violation('range', `must be at least ${min}`);
    return value;
  }

  oneOf<T extends string>(words: readonly [T, ...T[]]): T {
    const found = words.find((word) => word === this.value);
    if (found !== undefined) return found;
    const text = this.text();
    const [nearest] = nearestNames(text, words);
    const hint = nearest === undefined ? `one of ${words.join(', ')}` : nearest;
    if (text !== '')
      this.violation('unknown_value', `"${text.slice(0, 64)}" is not known; did you mean ${hint}?`);
    return words[0];
  }

  /**
   * A price from 0 to `max` USD, given as a number or a string, as a decimal string without exponent or trailing zeros.
   */
  price(max = MAX_PRICE_USD): string {
    if (typeof this.value !== 'number' && typeof this.value !== 'string') {
      this.#typeViolation('a decimal string or a number');
      return '0';
    }
    const decimal = String(this.value).length > 64 ? undefined : parseDecimal(String(this.value));
    if (decimal !== undefined && decimal.scale <= 64 && isUpTo(max, decimal)) return formatDecimal(decimal);
    this.violation('price', `must be a decimal number from 0 to ${max}`);
    return '0';
  }

  /** A calendar date YYYY-MM-DD. */
  date(): string {
    const text = this.text();
    if (text !== '' && !isDate(text)) this.violation('date', 'must be a date YYYY-MM-DD');
    return text;
  }

  /** An http or https URL, which may contain the `placeholders` as `{name}`. */
  url(placeholders: readonly string[] = []): string {
    const text = this.text();
    const filled = placeholders.reduce((url, name) => url.replaceAll(`{${name}}`, 'x'), text);
    const parsed = URL.canParse(filled) ? new URL(filled) : undefined;
    const bad = parsed === undefined || !/^https?:$/.test(parsed.protocol) || /[{}\s]/.test(filled);
    if (text !== '' && bad) this.violation('url', 'must be an http or https URL');
    return text;
  }

  #typeViolation(expected: string): void {
    if (this.value === undefined) this.violation('required', 'is required');
    else this.violation('type', `must be ${expected}`);
  }
}

function asRecord(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

/** Whether the value is an existing date YYYY-MM-DD. */
export function isDate(value: unknown): value is string {
  if (typeof value !== 'string' || !DATE.test(value)) return false;
  const time = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}

function isUpTo(max: number, decimal: Decimal): boolean {
  return decimal.digits >= 0n && compareDecimals(decimal, { digits: BigInt(max), scale: 0 }) <= 0;
}
