/** Reads JSON lists lazily: only the bytes are in memory, and elements are read on each access. */
import type { JsonValue } from '../json-value.js';
import { lazyList } from '../lazy-list.js';
import {
  BRACE,
  BRACE_END,
  BRACKET,
  BRACKET_END,
  COMMA,
  type JsonSource,
  QUOTE,
  SPACE,
} from './json-source.js';
import { Spans } from './spans.js';
import type { StructureCount } from './structure.js';

/** Reads the bytes of a large element; may yield. */
export type ElementReader = (bytes: Buffer) => Generator<void, JsonValue>;

/** Larger elements are read once and cached: they take longer, and may exceed the limits on elements. */
const LARGE_ELEMENT_BYTES = 32 * 1024;

/**
 * The list whose content begins here. Small elements are only counted: an invalid one throws a SyntaxError on access.
 * Yields where it may be interrupted; throws a SyntaxError where the list has no end.
 */
export function* readLazyList(
  source: JsonSource,
  count: StructureCount,
  read: ElementReader,
): Generator<void, JsonValue[]> {
  count.container();
  const spans = new Spans(source.bytes);
  const large = new Map<number, JsonValue>();
  let first = source.peek();
  for (; first === SPACE; first = source.peek()) yield;
  if (first === BRACKET_END) source.skip(1);
  else
    for (let isLast = false; !isLast; ) {
      count.value();
      const start = source.at;
      yield* skipElement(source);
      spans.add(start, source.at);
      if (source.at - start > LARGE_ELEMENT_BYTES) {
        const index = spans.length - 1;
        large.set(index, yield* read(spans.view(index)));
      }
      isLast = source.bytes[source.at] === BRACKET_END;
      source.skip(1);
    }
  return lazyList(spans.length, (index) => large.get(index) ?? JSON.parse(spans.text(index)));
}

/** Moves to the comma or the end behind the element that begins here. */
function* skipElement(source: JsonSource): Generator<void, void> {
  for (let depth = 0; ; ) {
    if (source.isDue) yield;
    const byte = source.peek();
    if (depth === 0 && (byte === COMMA || byte === BRACKET_END)) return;
    if (byte === undefined) throw new SyntaxError('a list without end');
    if (byte === QUOTE) yield* source.skipText();
    else if (byte !== SPACE) {
      source.skip(1);
      if (byte === BRACKET || byte === BRACE) depth += 1;
      else if (byte === BRACKET_END || byte === BRACE_END) depth -= 1;
    }
  }
}
