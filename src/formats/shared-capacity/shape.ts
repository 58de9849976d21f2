/** The form of what a host is sent over shared capacity: a closed list of members, at every level. */
import { isObject } from '../json.js';

/** What a value may be. A list has the shape of its elements. */
export type AllowedShape = Leaf | ShapedMembers | Tagged;

/**
 * - `scalar`: a text, a number, a boolean, or a list of those.
 * - `word`: a text: how the request is to be served.
 * - `opaque`: any value. Hosts only show it to the model: schemas, arguments, results.
 * - `address`: a URL, or data of media.
 * - `words`: a text for the model. Some hosts read a file if it begins with one of their addresses.
 * - `owned`: names an object of the credential's owner.
 * - `place`: a text: where the request may be processed.
 */
export type Leaf = 'scalar' | 'word' | 'opaque' | 'address' | 'words' | 'owned' | 'place';

/** An object with no members but these. */
export interface ShapedMembers {
  readonly kind: 'members';
  readonly members: ReadonlyMap<string, AllowedShape>;
  /** What a text in the object's place is. */
  readonly text: Leaf;
}

/** An object whose shape depends on its `type`, without a trailing date. Other types are unknown. */
export interface Tagged {
  readonly kind: 'tagged';
  readonly shapes: ReadonlyMap<string, AllowedShape>;
  /** The shape of an object without a type. */
  readonly untyped: AllowedShape;
  /** What a text in the object's place is. */
  readonly text: Leaf;
  /** Whether objects of unknown types may be left out, so that the answer is one to the same question. */
  readonly isOptional: boolean;
}

export function allowedMembersOf(
  shapes: Readonly<Record<string, AllowedShape>>,
  text: Leaf = 'scalar',
): ShapedMembers {
  return { kind: 'members', members: new Map(Object.entries(shapes)), text };
}

/** Members with any value. */
export function opaque(...names: readonly string[]): Readonly<Record<string, AllowedShape>> {
  return Object.fromEntries(names.map((name) => [name, 'opaque']));
}

/** Members that are not objects. */
export function scalar(...names: readonly string[]): Readonly<Record<string, AllowedShape>> {
  return Object.fromEntries(names.map((name) => [name, 'scalar']));
}

/** Whether a value is no object and no list with objects. */
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
  return { kind: 'tagged', shapes: new Map(Object.entries(shapes)), untyped, text, isOptional: false };
}

/** As `taggedBy`, where objects of unknown types may be left out. */
export function optionalBy(...given: Parameters<typeof taggedBy>): Tagged {
  return { ...taggedBy(...given), isOptional: true };
}

/** What a text in the place of the shape is. */
export function leafOfText(shape: AllowedShape): Leaf {
  return typeof shape === 'object' ? shape.text : shape;
}

/** Only the shapes of some types. */
export function typesOf(
  { shapes }: Tagged,
  ...types: readonly string[]
): Readonly<Record<string, AllowedShape>> {
  return Object.fromEntries([...shapes].filter(([type]) => types.includes(type)));
}

/** The shape with more members. */
export function extended(
  shape: ShapedMembers,
  shapes: Readonly<Record<string, AllowedShape>>,
): ShapedMembers {
  return { ...shape, members: new Map([...shape.members, ...Object.entries(shapes)]) };
}

/** The shape for a type; null if the type is unknown. */
export function shapeOfType({ shapes, untyped }: Tagged, type: unknown): AllowedShape | null {
  if (type === undefined || type === null) return untyped;
  const name = String(type);
  return shapes.get(name) ?? shapes.get(undated(name)) ?? null;
}

/**
 * Removes a date: `web_search_20250305` is `web_search`, `interleaved-thinking-2025-05-14` is `interleaved-thinking`.
 */
export function undated(name: string): string {
  return name.replace(DATE, '');
}

const DATE = /(?:_\d{8}|-\d{8}|-\d{4}-\d{2}-\d{2})$/;
