/** How much structure a request may have: what it costs to read goes by that more than by its bytes. */
import { invalid } from '../../base/problem.js';

/** The bounds on one request, whichever transport it comes by. */
export interface StructureBounds {
  /** Most objects and lists, which are messages in protobuf. */
  readonly containers: number;
  /** Most members of objects and elements of lists, which are fields in protobuf, known or not. */
  readonly values: number;
  /** Most different names of members: each makes objects of a shape of their own, or names to be looked up. */
  readonly names: number;
}

/** Counts along while a request is read, before anything is made of what is counted. Each method throws a 400 Problem of rule `count`. */
export class StructureCount {
  readonly #max: StructureBounds;
  #names: Set<string> | undefined;
  #containers = 0;
  #values = 0;

  constructor(max: StructureBounds) {
    this.#max = max;
  }

  container(): void {
    this.#containers += 1;
    if (this.#containers > this.#max.containers) throw tooMany(this.#max.containers, 'objects and lists');
  }

  value(): void {
    this.#values += 1;
    if (this.#values > this.#max.values) throw tooMany(this.#max.values, 'members and elements');
  }

  name(name: string): void {
    this.#names ??= new Set();
    this.#names.add(name);
    if (this.#names.size > this.#max.names) throw tooMany(this.#max.names, 'different names of members');
  }
}

function tooMany(max: number, what: string) {
  return invalid([{ field: '', rule: 'count', message: `The body has more than ${max} ${what}` }]);
}

/** The shortest container, value and name of JSON, with what parts them. */
const SHORTEST_BYTES = { container: 2, value: 2, name: 6 } as const;

/** Whether so many bytes of JSON can't exceed the bounds, whatever they are. */
export function isWithin(bytes: number, { containers, values, names }: StructureBounds): boolean {
  const { container, value, name } = SHORTEST_BYTES;
  return bytes <= Math.min(containers * container, values * value, names * name);
}
