/** Reads JSON in slices and within limits. `JSON.parse` has neither, and needs the text in memory beside the bytes. */
import { runToEnd } from '../../time-slices.js';
import { type JsonMembers, type JsonValue, setMember } from '../json-value.js';
import { exceedsDepth } from './depth.js';
import {
  BRACE,
  BRACE_END,
  BRACKET,
  BRACKET_END,
  COLON,
  COMMA,
  isOfNumber,
  JsonSource,
  QUOTE,
  SPACE,
} from './json-source.js';
import { type ElementReader, readLazyList } from './lazy-elements.js';
import { isWithin, StructureCount, type StructureLimits, tooDeep } from './structure.js';

/** How a body is read. */
export interface JsonReading {
  readonly limits: StructureLimits;
  /**
   * Limits on each element of the body's own lists, which are then lazy: elements are read on each access, and the
   * bytes must stay for as long. Without it lists are read at once.
   */
  readonly elementLimits?: StructureLimits | undefined;
  /** Whether integers that are too large for a number become `ExactInteger`s. */
  readonly hasExactIntegers?: boolean;
}

/** Fewer digits are a number. */
const MIN_DIGITS = 16;

/**
 * Whether reading the JSON may give an `ExactInteger`: it takes longer, and gives the same where the digits are in a text.
 * A tenth of what a regular expression takes, since it looks at every sixteenth character alone.
 */
export function mayHoldExactInteger(text: string): boolean {
  for (let at = MIN_DIGITS - 1; at < text.length; at += MIN_DIGITS) {
    if (!isDigit(text, at)) continue;
    let first = at;
    while (isDigit(text, first - 1)) first -= 1;
    while (isDigit(text, at + 1)) at += 1;
    if (at - first + 1 >= MIN_DIGITS && BEFORE_INTEGER.has(text[first - 1] ?? ' ')) return true;
  }
  return false;
}

/** Digits after anything else are those of a fraction, or in a text. */
const BEFORE_INTEGER: ReadonlySet<string> = new Set([':', ',', '[', '-', ' ', '\t', '\n', '\r']);

function isDigit(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0x30 && unit <= 0x39;
}

/**
 * What `JSON.parse` gives of these bytes, which are UTF-8; yields where it may be interrupted. Throws a SyntaxError for
 * what is not JSON, and a 400 Problem for more structure than the limits allow.
 */
export function* readJson(bytes: Buffer, reading: JsonReading): Generator<void, JsonValue> {
  const { limits, elementLimits, hasExactIntegers = false } = reading;
  if (elementLimits === undefined && isWithin(bytes.length, limits)) {
    const text = bytes.toString('utf8');
    if (!hasExactIntegers || !mayHoldExactInteger(text)) return withinDepth(JSON.parse(text), text, limits);
  }
  const readElement: ElementReader | undefined =
    elementLimits && ((element) => readJson(element, { limits: elementLimits }));
  return yield* readDocument(
    new JsonSource(bytes),
    new StructureCount(limits),
    readElement,
    hasExactIntegers,
  );
}

/** As `readJson` with exact integers, for bytes that are part of something whose structure is counted already. */
export function readCounted(bytes: Buffer, count: StructureCount): Generator<void, JsonValue> {
  return readDocument(new JsonSource(bytes), count, undefined, true);
}

/** What `JSON.parse` gives of a text whose structure is bounded already, with exact integers. Throws a SyntaxError. */
export function parseExact(text: string): JsonValue {
  if (!mayHoldExactInteger(text)) return JSON.parse(text);
  return runToEnd(readCounted(Buffer.from(text), new StructureCount(UNBOUNDED)));
}

const UNBOUNDED: StructureLimits = {
  containers: Number.POSITIVE_INFINITY,
  values: Number.POSITIVE_INFINITY,
  names: Number.POSITIVE_INFINITY,
};

/** Throws as `StructureCount` does for what is nested too deeply, which takes a bracket and its end for each level. */
function withinDepth(json: JsonValue, text: string, limits: StructureLimits): JsonValue {
  const { depth } = limits;
  if (depth !== undefined && text.length >= 2 * depth && exceedsDepth(json, depth)) throw tooDeep(depth);
  return json;
}

/** What may come next. */
type Expected = 'value' | 'element or end' | 'name' | 'name or end' | 'colon' | 'comma or end';

type Container = JsonValue[] | JsonMembers;

function* readDocument(
  source: JsonSource,
  count: StructureCount,
  readElement: ElementReader | undefined,
  hasExactIntegers: boolean,
): Generator<void, JsonValue> {
  /** Enclosing containers that have not ended, with the member name at which each continues. */
  const open: { readonly container: Container; readonly name: string }[] = [];
  let container: Container | undefined;
  let name = '';
  let expected: Expected = 'value';
  let whole: JsonValue = null;
  const put = (value: JsonValue) => {
    if (container === undefined) whole = value;
    else if (Array.isArray(container)) container.push(value);
    else setMember(container, name, value);
  };
  const begin = (next: Container) => {
    count.container(container === undefined ? 0 : open.length + 1);
    put(next);
    if (container !== undefined) open.push({ container, name });
    container = next;
  };
  const end = () => {
    const outer = open.pop();
    container = outer?.container;
    name = outer?.name ?? '';
    expected = 'comma or end';
  };
  for (;;) {
    if (source.isDue) yield;
    const byte = source.peek();
    if (byte === undefined) break;
    if (byte === SPACE) continue;
    if (expected === 'colon') {
      source.expect(COLON);
      expected = 'value';
    } else if (expected === 'comma or end') {
      if (container === undefined) throw new SyntaxError('something after the end');
      source.skip(1);
      if (byte === COMMA) {
        if (!Array.isArray(container)) count.value();
        expected = Array.isArray(container) ? 'value' : 'name';
      } else if (byte === (Array.isArray(container) ? BRACKET_END : BRACE_END)) end();
      else throw new SyntaxError('neither a comma nor an end');
    } else if (byte === BRACE_END && expected === 'name or end') {
      source.skip(1);
      end();
    } else if (byte === BRACKET_END && expected === 'element or end') {
      source.skip(1);
      end();
    } else if (expected === 'name' || expected === 'name or end') {
      if (expected === 'name or end') count.value();
      if (byte !== QUOTE) throw new SyntaxError('a member without a name');
      name = source.shortText() ?? (yield* source.longText());
      count.name(name);
      expected = 'colon';
    } else {
      if (Array.isArray(container)) isOfNumber(byte) ? count.number() : count.value();
      if (byte === BRACE) {
        source.skip(1);
        begin({});
        expected = 'name or end';
      } else if (byte === BRACKET) {
        source.skip(1);
        if (readElement !== undefined && open.length === 0 && container !== undefined) {
          put(yield* readLazyList(source, count, readElement));
          expected = 'comma or end';
        } else {
          begin([]);
          expected = 'element or end';
        }
      } else {
        put(
          byte === QUOTE
            ? (source.shortText() ?? (yield* source.longText()))
            : source.scalar(hasExactIntegers),
        );
        expected = 'comma or end';
      }
    }
  }
  if (container !== undefined || expected !== 'comma or end') throw new SyntaxError('no end');
  return whole;
}
