/**
 * Reads JSON that stands in texts of a request. A text could be used to get around the limits on structure, so what it
 * contains counts as if it stood in the request itself.
 */
import { invalid, Problem } from '../../problem.js';
import type { JsonValue } from '../json-value.js';
import { exceedsDepth, MAX_DEPTH } from './depth.js';
import { mayHoldExactInteger, readCounted } from './read-json.js';
import { INFERENCE_LIMITS, StructureCount } from './structure.js';

/** Objects and lists that are counted between two looks at the clock. */
const CONTAINERS_PER_LOOK = 1_000;

/** What the texts of one request may have, together with the request. */
export class NestedReader {
  readonly #count: StructureCount;
  /** Whether the texts are so short that they need not be counted. */
  readonly #isSmall: boolean;

  private constructor(count: StructureCount, characters: number) {
    this.#count = count;
    this.#isSmall = count.hasRoomFor(characters);
  }

  /** For a request, and texts that have so many characters together. Yields where it may be interrupted. */
  static *in(request: object, characters: number): Generator<void, NestedReader> {
    const count = new StructureCount(INFERENCE_LIMITS);
    try {
      yield* countStructure(request, count);
    } catch (thrown) {
      // Translated, a request may have more than it came with: then its texts may have nothing.
      if (!(thrown instanceof Problem)) throw thrown;
    }
    return new NestedReader(count, characters);
  }

  /**
   * What `JSON.parse` gives, with exact integers; undefined for what is not JSON. Yields where it may be interrupted. Throws a 400 Problem where
   * request and texts have more structure than a request may have, or the text is nested too deeply.
   */
  *read(text: string): Generator<void, JsonValue | undefined> {
    let value: JsonValue;
    try {
      value =
        this.#isSmall && !mayHoldExactInteger(text)
          ? JSON.parse(text)
          : yield* readCounted(Buffer.from(text), this.#count);
    } catch (thrown) {
      if (thrown instanceof SyntaxError) return undefined;
      throw thrown;
    }
    if (exceedsDepth(value, MAX_DEPTH)) throw tooDeep();
    return value;
  }
}

function tooDeep(): Problem {
  const message = `JSON in a text must not be nested deeper than ${MAX_DEPTH} levels`;
  return invalid([{ field: '', rule: 'depth', message }]);
}

function* countStructure(request: object, count: StructureCount): Generator<void, void> {
  const pending: object[] = [request];
  let untilLook = CONTAINERS_PER_LOOK;
  for (let container = pending.pop(); container !== undefined; container = pending.pop()) {
    count.container();
    if (!Array.isArray(container)) for (const name of Object.keys(container)) count.name(name);
    for (const value of Object.values(container)) {
      count.value();
      if (typeof value === 'object' && value !== null) pending.push(value);
    }
    untilLook -= 1;
    if (untilLook > 0) continue;
    untilLook = CONTAINERS_PER_LOOK;
    yield;
  }
}
