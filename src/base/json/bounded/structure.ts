/** Limits how much structure a request has: the cost of reading depends on that more than on its bytes. */
import { invalid, type Problem } from '../../problem.js';

/** The limits on one request, over any transport. */
export interface StructureLimits {
  /** Max objects and lists, which are messages in protobuf. */
  readonly containers: number;
  /** Max members of objects and elements of lists, which are fields in protobuf, known or not. */
  readonly values: number;
  /** Max numbers in lists, which take eight bytes each; without it they are values as all others. Not fewer than values. */
  readonly numbers?: number;
  /** Max different member names: each can give objects a hidden class of their own, or is a name to look up. */
  readonly names: number;
  /** Max nesting of JSON; what is read as a message has limits of its own. */
  readonly depth?: number;
}

/**
 * Limits of a request to a model. Enough for a conversation of 10,000 messages with their parts and calls, and for tools
 * with large schemas. In memory each object, list and member costs many times its bytes, and a body of the size limit could
 * have sixteen million. The names are those of all tool schemas together; the numbers are the tokens of the largest request for
 * embeddings, and some more.
 */
export const INFERENCE_LIMITS: StructureLimits = {
  containers: 50_000,
  values: 200_000,
  numbers: 310_000,
  names: 10_000,
};

/**
 * Counts structure while JSON or a message is read, before memory is allocated for it. Each method throws a 400 Problem
 * of rule `count` or `depth`.
 */
export class StructureCount {
  readonly #max: StructureLimits;
  #names: Set<string> | undefined;
  #longNames = 0;
  #containers = 0;
  #values = 0;
  #numbers = 0;

  constructor(max: StructureLimits) {
    this.#max = max;
  }

  /** @param depth How many containers this one is in. */
  container(depth = 0): void {
    this.#containers += 1;
    if (depth >= (this.#max.depth ?? Number.POSITIVE_INFINITY)) throw tooDeep(this.#max.depth);
    if (this.#containers > this.#max.containers) throw tooMany(this.#max.containers, 'objects and lists');
  }

  value(): void {
    this.#values += 1;
    if (this.#values > this.#max.values) throw tooMany(this.#max.values, 'members and elements');
  }

  /** A number in a list. */
  number(): void {
    const { numbers } = this.#max;
    if (numbers === undefined) this.value();
    else {
      this.#numbers += 1;
      if (this.#numbers > numbers) throw tooMany(numbers, 'numbers in lists');
    }
  }

  /** Whether so few bytes of JSON can't exceed what is left, whatever they are. */
  hasRoomFor(bytes: number): boolean {
    return isWithin(bytes, {
      containers: this.#max.containers - this.#containers,
      values: this.#max.values - this.#values,
      names: this.#max.names - (this.#names?.size ?? 0),
    });
  }

  name(name: string): void {
    if (name.length > LONG_NAME_CHARACTERS) this.#countLongName();
    this.#names ??= new Set();
    this.#names.add(name);
    if (this.#names.size > this.#max.names) throw tooMany(this.#max.names, 'different names of members');
  }

  #countLongName(): void {
    this.#longNames += 1;
    if (this.#longNames > MAX_LONG_NAMES)
      throw tooMany(MAX_LONG_NAMES, `names of more than ${LONG_NAME_CHARACTERS} characters`);
  }
}

/**
 * V8 tells names of more than 16,383 characters and of one length apart only by comparing each with each: a body of 30
 * MB of them would take many seconds. A body that is too short to be counted can't have more.
 */
const LONG_NAME_CHARACTERS = 4096;
const MAX_LONG_NAMES = 16;

function tooMany(max: number, what: string) {
  return invalid([{ field: '', rule: 'count', message: `The body has more than ${max} ${what}` }]);
}

/** The 400 for JSON that is nested too deeply. */
export function tooDeep(max: number | undefined): Problem {
  return invalid([{ field: '', rule: 'depth', message: `The body is nested deeper than ${max} levels` }]);
}

/** Bytes of the shortest container, value and name of JSON, with their separators. */
const MIN_BYTES = { container: 2, value: 2, name: 6 } as const;

/** Whether so few bytes of JSON can't exceed the limits, whatever they are. */
export function isWithin(bytes: number, { containers, values, names }: StructureLimits): boolean {
  const { container, value, name } = MIN_BYTES;
  return bytes <= Math.min(containers * container, values * value, names * name);
}
