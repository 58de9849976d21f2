/** JSON, read in slices and held to a bound: `JSON.parse` knows neither, and its text would stand beside the bytes. */
import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { setMember } from '../members.js';
import {
  BRACE,
  BRACE_END,
  BRACKET,
  BRACKET_END,
  COLON,
  COMMA,
  JsonSource,
  QUOTE,
  SPACE,
} from './json-source.js';
import { type ElementReader, readLazyList } from './lazy-elements.js';
import { isWithin, type StructureBounds, StructureCount } from './structure.js';

/** What may stand in a body, and how. */
export interface JsonReading {
  readonly bounds: StructureBounds;
  /**
   * Bounds on each element of the lists right in the body, which are then read whenever they are asked for: the bytes
   * must stay as long as that. Left out: lists are read at once.
   */
  readonly elementBounds?: StructureBounds | undefined;
}

/**
 * What `JSON.parse` gives of these bytes, which are UTF-8; yields where it may be interrupted. Throws a SyntaxError for
 * what is not JSON, and a 400 Problem for more than the bounds admit.
 */
export function* readJson(bytes: Buffer, reading: JsonReading): Generator<void, JsonValue> {
  const { bounds, elementBounds } = reading;
  if (elementBounds === undefined && isWithin(bytes.length, bounds))
    return JSON.parse(bytes.toString('utf8'));
  const readElement: ElementReader | undefined =
    elementBounds && ((element) => readJson(element, { bounds: elementBounds }));
  return yield* readDocument(new JsonSource(bytes), new StructureCount(bounds), readElement);
}

/** What may come next. */
type Due = 'value' | 'element or end' | 'name' | 'name or end' | 'colon' | 'comma or end';

type Container = JsonValue[] | JsonObject;

function* readDocument(
  source: JsonSource,
  count: StructureCount,
  readElement: ElementReader | undefined,
): Generator<void, JsonValue> {
  /** Those that have begun and not ended, and the names under which the inner ones stand. */
  const open: { readonly container: Container; readonly name: string }[] = [];
  let container: Container | undefined;
  let name = '';
  let due: Due = 'value';
  let whole: JsonValue = null;
  const put = (value: JsonValue) => {
    if (container === undefined) whole = value;
    else if (Array.isArray(container)) container.push(value);
    else setMember(container, name, value);
  };
  const begin = (next: Container) => {
    count.container();
    put(next);
    if (container !== undefined) open.push({ container, name });
    container = next;
  };
  const end = () => {
    const outer = open.pop();
    container = outer?.container;
    name = outer?.name ?? '';
    due = 'comma or end';
  };
  for (;;) {
    if (source.isDue) yield;
    const byte = source.peek();
    if (byte === undefined) break;
    if (byte === SPACE) continue;
    if (due === 'colon') {
      source.expect(COLON);
      due = 'value';
    } else if (due === 'comma or end') {
      if (container === undefined) throw new SyntaxError('something after the end');
      source.skip(1);
      if (byte === COMMA) {
        count.value();
        due = Array.isArray(container) ? 'value' : 'name';
      } else if (byte === (Array.isArray(container) ? BRACKET_END : BRACE_END)) end();
      else throw new SyntaxError('neither a comma nor an end');
    } else if (byte === BRACE_END && due === 'name or end') {
      source.skip(1);
      end();
    } else if (byte === BRACKET_END && due === 'element or end') {
      source.skip(1);
      end();
    } else if (due === 'name' || due === 'name or end') {
      if (due === 'name or end') count.value();
      if (byte !== QUOTE) throw new SyntaxError('a member without a name');
      name = source.shortText() ?? (yield* source.longText());
      count.name(name);
      due = 'colon';
    } else {
      if (due === 'element or end') count.value();
      if (byte === BRACE) {
        source.skip(1);
        begin({});
        due = 'name or end';
      } else if (byte === BRACKET) {
        source.skip(1);
        if (readElement !== undefined && open.length === 0 && container !== undefined) {
          put(yield* readLazyList(source, count, readElement));
          due = 'comma or end';
        } else {
          begin([]);
          due = 'element or end';
        }
      } else {
        put(byte === QUOTE ? (source.shortText() ?? (yield* source.longText())) : source.scalar());
        due = 'comma or end';
      }
    }
  }
  if (container !== undefined || due !== 'comma or end') throw new SyntaxError('no end');
  return whole;
}
