/** Enum words in proto JSON: REST's are accepted beside the proto file's, and any other word is refused. */
import type { DescEnum, DescField, DescMessage, DescMethod, JsonValue } from '@bufbuild/protobuf';
import type { Path } from '@bufbuild/protobuf/reflect';
import { invalid } from '../base/problem.js';
import { restFieldPath } from './field-path.js';
import { isJsonObject } from './members.js';
import { enumNumber, enumWanted } from './spelling.js';
import { ViolationList } from './violations.js';

/**
 * Puts the proto file's words for enums in the place of REST's, at any depth of a method's request, which is changed.
 * Throws a 400 Problem that names the field and the allowed words for every word that is neither: a reader that ignores
 * unknown members would silently drop the field. A value of the wrong type is left for the reader to refuse. Members
 * without enums are not visited.
 */
export function replaceEnumWords(method: DescMethod, request: JsonValue): void {
  const shape = shapeOf(method.input);
  if (shape === undefined) return;
  const violations = new ViolationList();
  replaced(request, shape, { method, violations, path: [] });
  if (violations.violations.length > 0) throw invalid(violations.violations);
}

/** Where a JSON value holds enums. */
type Shape =
  | { readonly kind: 'enum'; readonly desc: DescEnum }
  | { readonly kind: 'list' | 'map'; readonly items: Shape }
  /** The members that hold enums, by both of their names in proto JSON. */
  | { readonly kind: 'object'; readonly members: ReadonlyMap<string, Member> };

interface Member {
  readonly field: DescField;
  readonly shape: Shape;
}

const shapes = new WeakMap<DescMessage, Shape | null>();

/** Undefined for a message that holds no enum at any depth. */
function shapeOf(desc: DescMessage): Shape | undefined {
  // Well-known types have JSON forms of their own, and none holds an enum of ours.
  if (desc.typeName.startsWith('google.protobuf.')) return undefined;
  const known = shapes.get(desc);
  if (known !== undefined) return known ?? undefined;
  const members = new Map<string, Member>();
  const shape: Shape = { kind: 'object', members };
  // Before visiting the fields, since the message may be recursive.
  shapes.set(desc, shape);
  for (const field of desc.fields) {
    const fieldShape = shapeOfField(field);
    if (fieldShape !== undefined)
      for (const name of [field.name, field.jsonName]) members.set(name, { field, shape: fieldShape });
  }
  if (members.size > 0) return shape;
  shapes.set(desc, null);
  return undefined;
}

function shapeOfField(field: DescField): Shape | undefined {
  const shape = shapeOfItem(field);
  if (shape === undefined || (field.fieldKind !== 'list' && field.fieldKind !== 'map')) return shape;
  return { kind: field.fieldKind, items: shape };
}

function shapeOfItem({ enum: desc, message }: DescField): Shape | undefined {
  if (desc !== undefined) return { kind: 'enum', desc };
  return message === undefined ? undefined : shapeOf(message);
}

interface WordContext {
  readonly method: DescMethod;
  readonly violations: ViolationList;
  readonly path: Path;
}

/** Replaces the words in the value, in place; the result is the value, or the new word for a word. */
function replaced(value: JsonValue, shape: Shape, context: WordContext): JsonValue {
  if (shape.kind === 'enum') return typeof value === 'string' ? protoWord(value, shape.desc, context) : value;
  if (shape.kind === 'list' && Array.isArray(value)) {
    for (const [index, item] of value.entries())
      value[index] = replaced(item, shape.items, within(context, { kind: 'list_sub', index }));
  } else if (shape.kind === 'map' && isJsonObject(value)) {
    for (const [key, item] of Object.entries(value))
      value[key] = replaced(item, shape.items, within(context, { kind: 'map_sub', key }));
  } else if (shape.kind === 'object' && isJsonObject(value)) {
    for (const [name, member] of shape.members) {
      const item = Object.hasOwn(value, name) ? value[name] : undefined;
      if (item !== undefined) value[name] = replaced(item, member.shape, within(context, member.field));
    }
  }
  return value;
}

function within({ method, violations, path }: WordContext, step: Path[number]): WordContext {
  return { method, violations, path: [...path, step] };
}

function protoWord(word: string, desc: DescEnum, { method, violations, path }: WordContext): string {
  if (desc.values.some(({ name }) => name === word)) return word;
  const number = enumNumber(desc, word);
  const name = number === undefined ? undefined : desc.value[number]?.name;
  if (name === undefined) violations.add(restFieldPath(path, method), 'enum', enumWanted(desc));
  return name ?? word;
}
