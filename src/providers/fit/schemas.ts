/** Schemas of tools' arguments, as clients, their servers and schema libraries write them. */
import type { ChatContract } from '../../catalog/chat-contract.js';
import type { JsonObject } from '../../formats/chat/types.js';
import { elements, isObject, members, textOf } from '../../formats/json.js';

type SchemaRules = Pick<ChatContract, 'rootUnions' | 'booleanSchemas' | 'schemaSiblings'>;

/** The schema as the host takes it, and whether it admits other arguments than before. */
export interface FittedSchema {
  readonly schema: JsonObject;
  /** Whether the model must be told of the original. */
  readonly isWider: boolean;
}

/** Arguments are always an object: a schema of anything else is one that says nothing of its members. */
export function fittedSchema(given: unknown, rules: SchemaRules): FittedSchema {
  const schema = isObject(given) ? given : {};
  const isUnion = !rules.rootUnions && UNIONS.some((word) => schema[word] !== undefined);
  const rooted = isUnion ? withoutUnion(schema) : ofObjects(schema);
  const fitted = isPlain(rules) ? rooted : below(rooted, { rules, root: schema, depth: 0 });
  return { schema: fitted as JsonObject, isWider: isUnion };
}

function isPlain({ booleanSchemas, schemaSiblings }: SchemaRules): boolean {
  return booleanSchemas && schemaSiblings;
}

/** Words that make a union of a root, or say which values there are. */
const UNIONS = ['anyOf', 'oneOf', 'allOf', 'not', 'enum', 'if', 'then', 'else'] as const;

function ofObjects(schema: JsonObject): JsonObject {
  const isOfObjects = schema.type === 'object';
  if (isOfObjects && isObject(schema.properties)) return schema;
  return { ...schema, type: 'object', properties: members(schema.properties) };
}

/** An object that has the members of all branches: it admits whatever any of them does. */
function withoutUnion(schema: JsonObject): JsonObject {
  const branches = branchesOf(schema, schema, 0);
  const rest = Object.fromEntries(
    Object.entries(schema).filter(([word]) => !UNIONS.some((union) => union === word) && word !== '$ref'),
  );
  const isOpen = branches.some(({ schema: branch }) => branch.additionalProperties !== false);
  const { additionalProperties, ...open } = rest;
  return {
    ...(isOpen ? open : rest),
    ...(!isOpen && { additionalProperties: false }),
    type: 'object',
    properties: propertiesOf(branches.map(({ schema: branch }) => branch)),
    ...requiredOf(schema, branches),
  };
}

/** A branch of a root; of alternatives only what all of them require is required. */
interface Branch {
  readonly schema: JsonObject;
  readonly isAlternative: boolean;
}

/** Deeper ones admit whatever they say. */
const MAX_DEPTH = 8;

function branchesOf(schema: JsonObject, root: JsonObject, depth: number, isAlternative = false): Branch[] {
  if (depth > MAX_DEPTH) return [];
  const target = referred(schema, root);
  const nested = (['anyOf', 'oneOf', 'allOf'] as const).flatMap((word) =>
    elements(schema[word]).flatMap((branch) =>
      isObject(branch) ? branchesOf(branch, root, depth + 1, isAlternative || word !== 'allOf') : [],
    ),
  );
  const referredTo = target === undefined ? [] : branchesOf(target, root, depth + 1, isAlternative);
  return [{ schema, isAlternative }, ...nested, ...referredTo];
}

/** What a local `$ref` points to. */
function referred({ $ref }: JsonObject, root: JsonObject): JsonObject | undefined {
  const [, place = '', name = ''] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(textOf($ref) ?? '') ?? [];
  const found = members(root[place])[name.replaceAll('~1', '/').replaceAll('~0', '~')];
  return isObject(found) ? found : undefined;
}

function propertiesOf(branches: readonly JsonObject[]): JsonObject {
  const found = new Map<string, unknown[]>();
  for (const { properties } of branches) {
    for (const [name, schema] of Object.entries(members(properties))) {
      const known = found.get(name) ?? [];
      const isNew = !known.some((one) => JSON.stringify(one) === JSON.stringify(schema));
      found.set(name, isNew ? [...known, schema] : known);
    }
  }
  return Object.fromEntries([...found].map(([name, schemas]) => [name, oneOf(schemas)]));
}

function oneOf(schemas: readonly unknown[]): unknown {
  return schemas.length === 1 ? schemas[0] : { anyOf: schemas };
}

function requiredOf(root: JsonObject, branches: readonly Branch[]): JsonObject {
  const certain = branches.filter(({ isAlternative }) => !isAlternative);
  const names = certain.flatMap(({ schema }) => elements(schema.required)).concat(commonIn(root));
  const required = [...new Set(names)];
  return required.length === 0 ? {} : { required };
}

/** What every alternative of the root itself requires. */
function commonIn(root: JsonObject): unknown[] {
  const alternatives = [...elements(root.anyOf), ...elements(root.oneOf)].map((branch) => {
    const schema = members(branch);
    return new Set(elements((referred(schema, root) ?? schema).required));
  });
  const [first = new Set(), ...others] = alternatives;
  return [...first].filter((name) => others.every((names) => names.has(name)));
}

interface Below {
  readonly rules: SchemaRules;
  readonly root: JsonObject;
  readonly depth: number;
}

/** Members that hold schemas by name. */
const MAPS: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'patternProperties']);

/** Members that hold a schema or a list of them. */
const SCHEMAS: ReadonlySet<string> = new Set(['items', 'prefixItems', 'anyOf', 'oneOf', 'allOf', 'not']);

/** Schemas nest no deeper. */
const MAX_SCHEMA_DEPTH = 64;

function below(schema: unknown, { rules, root, depth }: Below): unknown {
  if (typeof schema === 'boolean') return rules.booleanSchemas ? schema : schema ? {} : { not: {} };
  if (!isObject(schema) || depth > MAX_SCHEMA_DEPTH) return schema;
  const next = { rules, root, depth: depth + 1 };
  const alone = rules.schemaSiblings ? schema : withoutSiblings(schema, root);
  const entries = Object.entries(alone).map(([word, value]): [string, unknown] => {
    if (MAPS.has(word) && isObject(value)) {
      return [word, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, below(one, next)]))];
    }
    if (!SCHEMAS.has(word)) return [word, value];
    return [word, Array.isArray(value) ? value.map((one) => below(one, next)) : below(value, next)];
  });
  return Object.fromEntries(entries);
}

/** What a reference points to stands in its place where words stand beside it; the type of a union in its branches. */
function withoutSiblings(schema: JsonObject, root: JsonObject): JsonObject {
  const { $ref, ...beside } = schema;
  if ($ref !== undefined && Object.keys(beside).some((word) => word !== '$defs' && word !== 'definitions')) {
    const target = referred(schema, root);
    const isRecursive = target !== undefined && JSON.stringify(target).includes(JSON.stringify($ref));
    return target === undefined || isRecursive ? { $ref } : { ...target, ...beside };
  }
  return withoutTuple(withTypedBranches(schema));
}

function withTypedBranches(schema: JsonObject): JsonObject {
  const { type, anyOf, ...rest } = schema;
  if (type === undefined || !Array.isArray(anyOf)) return schema;
  return { ...rest, anyOf: anyOf.map((branch) => (isObject(branch) ? { type, ...branch } : branch)) };
}

/** The newer word for a list of schemas, one for each place. */
function withoutTuple(schema: JsonObject): JsonObject {
  const { items, ...rest } = schema;
  return Array.isArray(items) ? { ...rest, prefixItems: items } : schema;
}
