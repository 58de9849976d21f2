import type { JsonObject } from '../chat/types.js';
import { isObject } from '../json.js';
import { type AllowedShape, isScalar, type Leaf, type ShapedMembers, shapeOfType, undated } from './shape.js';

/** Maximum of names that are reported. */
const MAX_NAMES = 100;

/** Longer names are cut. */
const MAX_NAME_CHARACTERS = 100;

/** The paths of everything that was left out, without positions, each once. */
export class LeftOut {
  readonly #names = new Set<string>();

  get names(): readonly string[] {
    return [...this.#names];
  }

  add(path: string): void {
    if (this.#names.size < MAX_NAMES) this.#names.add(path.slice(0, MAX_NAME_CHARACTERS));
  }
}

/**
 * Returns the object with only the members of its shape; the same object if that changes nothing. Everything else is
 * added to `leftOut`. Members and types whose names are in `admitted` are never removed.
 */
export function withinShape<Body extends JsonObject>(
  body: Body,
  shape: ShapedMembers,
  admitted: ReadonlySet<string>,
  leftOut: LeftOut,
): Body {
  // Every shape has the members that the types of requests require.
  return new Pruning(admitted, leftOut).prune(body, shape, '') as Body;
}

/** Marker for a value that is left out. */
const NOTHING = Symbol('left out');

class Pruning {
  readonly #admitted: ReadonlySet<string>;
  readonly #leftOut: LeftOut;

  constructor(admitted: ReadonlySet<string>, leftOut: LeftOut) {
    this.#admitted = admitted;
    this.#leftOut = leftOut;
  }

  prune(value: unknown, shape: AllowedShape, path: string): unknown {
    if (shape === 'opaque') return value;
    if (typeof shape === 'string') return fits(value, shape) ? value : this.#leave(path);
    if (Array.isArray(value)) return this.#elements(value, shape, path);
    if (!isObject(value)) return value;
    if (shape.kind === 'members') return this.#members(value, shape.members, path);
    if (this.#admits(value.type)) return value;
    const known = shapeOfType(shape, value.type);
    return known === null || known === 'owned'
      ? this.#leave(joined(path, String(value.type)))
      : this.prune(value, known, path);
  }

  #elements(list: readonly unknown[], shape: AllowedShape, path: string): unknown {
    let changed: unknown[] | undefined;
    for (let position = 0; position < list.length; position += 1) {
      const element = this.prune(list[position], shape, path);
      if (changed === undefined && element === list[position]) continue;
      changed ??= list.slice(0, position);
      if (element !== NOTHING) changed.push(element);
    }
    return changed ?? list;
  }

  #members(object: JsonObject, shapes: ReadonlyMap<string, AllowedShape>, path: string): unknown {
    let changed: [string, unknown][] | undefined;
    const names = Object.keys(object);
    for (let position = 0; position < names.length; position += 1) {
      const name = names[position] ?? '';
      const value = object[name];
      const kept = this.#member(name, value, shapes.get(name), path);
      if (changed === undefined && kept === value) continue;
      changed ??= names.slice(0, position).map((before) => [before, object[before]]);
      if (kept !== NOTHING) changed.push([name, kept]);
    }
    return changed === undefined ? object : Object.fromEntries(changed);
  }

  #member(name: string, value: unknown, shape: AllowedShape | undefined, path: string): unknown {
    if (shape === 'opaque' || this.#admitted.has(name)) return value;
    if (shape === 'scalar' && isScalar(value)) return value;
    if (shape !== undefined) return isNothing(value) ? value : this.prune(value, shape, joined(path, name));
    return isNothing(value) ? NOTHING : this.#leave(joined(path, name));
  }

  #admits(type: unknown): boolean {
    return this.#admitted.size > 0 && typeof type === 'string' && isNamed(this.#admitted, type);
  }

  #leave(path: string): typeof NOTHING {
    this.#leftOut.add(path);
    return NOTHING;
  }
}

/** Whether the names include the type, with or without its date. */
export function isNamed(names: ReadonlySet<string>, type: string): boolean {
  return names.has(type) || names.has(undated(type));
}

/** What a mode is asked for with is a text; a host may read a list of one as the text, which has not been planned. */
function fits(value: unknown, shape: Leaf): boolean {
  if (shape === 'word' || shape === 'place') return typeof value === 'string';
  return shape !== 'owned' && isScalar(value);
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}

function joined(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
