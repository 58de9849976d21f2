/** The form of what a host is sent over shared capacity: a closed list of members, as deep as they go. */
import { isObject } from '../json.js';

/** What a value may be. Lists have the shape of their elements. */
export type AllowedShape = Leaf | ShapedMembers | Tagged;

/**
 * - `scalar`: a text, a number, a switch, or a list of those.
 * - `opaque`: anything, which no host reads for more than what the model is told: schemas, arguments, results.
 * - `address`: a URL or data of media.
 * - `words`: a text for the model, which some hosts read a file for where it begins with an address of theirs.
 * - `owned`: names what belongs to the owner of the credential.
 */
export type Leaf = 'scalar' | 'opaque' | 'address' | 'words' | 'owned';

/** An object that may have these members. */
export interface ShapedMembers {
  readonly kind: 'members';
  readonly members: ReadonlyMap<string, AllowedShape>;
  /** What a text in its place is. */
  readonly text: Leaf;
}

/** An object whose `type`, without a date at its end, decides. No other type is known. */
export interface Tagged {
  readonly kind: 'tagged';
  readonly shapes: ReadonlyMap<string, AllowedShape>;
  /** Of an object without a type. */
  readonly untyped: AllowedShape;
  /** What a text in its place is. */
  readonly text: Leaf;
}

export function allowedMembersOf(
  shapes: Readonly<Record<string, AllowedShape>>,
  text: Leaf = 'scalar',
): ShapedMembers {
  return { kind: 'members', members: new Map(Object.entries(shapes)), text };
}

/** Members of any content. */
export function opaque(...names: readonly string[]): Readonly<Record<string, AllowedShape>> {
  return Object.fromEntries(names.map((name) => [name, 'opaque']));
}

/** Members that are no objects. */
export function scalar(...names: readonly string[]): Readonly<Record<string, AllowedShape>> {
  return Object.fromEntries(names.map((name) => [name, 'scalar']));
}

/** Whether a value is no object, nor a list with one. */
export function isScalar(value: unknown): boolean {
  return Array.isArray(value)
    ? value.every((element) => !Array.isArray(element) && !isObject(element))
    : !isObject(value);
}

export function taggedBy(
  shapes: Readonly<Record<string, AllowedShape>>,
  untyped: AllowedShape,
  text: Leaf = 'scalar',
): Tagged {
  return { kind: 'tagged', shapes: new Map(Object.entries(shapes)), untyped, text };
}

/** What a text in the place of the shape is. */
export function leafOfText(shape: AllowedShape): Leaf {
  return typeof shape === 'object' ? shape.text : shape;
}

/** The shapes of some types alone. */
export function typesOf(
  { shapes }: Tagged,
  ...types: readonly string[]
): Readonly<Record<string, AllowedShape>> {
  return Object.fromEntries([...shapes].filter(([type]) => types.includes(type)));
}

/** The shape with further members. */
export function extended(
  shape: ShapedMembers,
  shapes: Readonly<Record<string, AllowedShape>>,
): ShapedMembers {
  return { ...shape, members: new Map([...shape.members, ...Object.entries(shapes)]) };
}

/** Of a tagged object; null for a type that is not known. */
export function shapeOfType({ shapes, untyped }: Tagged, type: unknown): AllowedShape | null {
  if (type === undefined || type === null) return untyped;
  const name = String(type);
  return shapes.get(name) ?? shapes.get(undated(name)) ?? null;
}

/** `web_search_20250305` is a `web_search`, `interleaved-thinking-2025-05-14` is `interleaved-thinking`. */
export function undated(name: string): string {
  return name.replace(DATE, '');
}

const DATE = /(?:_\d{8}|-\d{8}|-\d{4}-\d{2}-\d{2})$/;
