/** Schemas of tools' arguments, as clients, their servers and schema libraries write them. */
import type { ChatContract } from '../../catalog/chat-contract.js';
import type { JsonObject } from '../../formats/chat/types.js';
import { elements, isObject, members, textOf } from '../../formats/json.js';
import { typed } from './schema/typed.js';
import { MAX_SCHEMA_DEPTH, mapSchemas } from './schema/walk.js';

type SchemaRules = Pick<
  ChatContract,
  'rootUnions' | 'booleanSchemas' | 'schemaSiblings' | 'typedSchemas' | 'referencesToDefs' | 'arraysOfItems'
>;

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
  const isReference = !rules.schemaSiblings && schema.$ref !== undefined;
  const rooted = isUnion || isReference ? withoutUnion(schema) : ofObjects(schema);
  return { schema: fittedBelow(rooted, rules), isWider: isUnion };
}

/** The schema of an answer as the host takes it. */
export function fittedAnswer(schema: JsonObject, rules: SchemaRules): JsonObject {
  return fittedBelow(schema, rules);
}

function fittedBelow(schema: JsonObject, rules: SchemaRules): JsonObject {
  const renamed = rules.referencesToDefs ? withDefs(schema) : schema;
  if (isPlain(rules)) return renamed;
  return below(renamed, { rules, root: renamed, depth: 0 }) as JsonObject;
}

function isPlain({ booleanSchemas, schemaSiblings, typedSchemas, arraysOfItems }: SchemaRules): boolean {
  return booleanSchemas && schemaSiblings && !typedSchemas && !arraysOfItems;
}

/** Definitions under their newer name, and the references to them; those to anything else say nothing. */
function withDefs(schema: JsonObject): JsonObject {
  const { definitions, ...rest } = schema;
  const defs = { ...members(definitions), ...members(rest.$defs) };
  const root = Object.keys(defs).length === 0 ? schema : { ...rest, $defs: defs };
  return referring(root, 0) as JsonObject;
}

function referring(schema: unknown, depth: number): unknown {
  if (!isObject(schema) || depth > MAX_SCHEMA_DEPTH) return schema;
  const { $ref, ...rest } = mapSchemas(schema, (one) => referring(one, depth + 1));
  if ($ref === undefined) return rest;
  const to = String($ref).replace(/^#\/definitions\//, '#/$defs/');
  return to === '#' || to.startsWith('#/$defs/') ? { ...rest, $ref: to } : rest;
}

/** Words that make a union of a root, or say which values there are. */
const UNIONS = ['anyOf', 'oneOf', 'allOf', 'not', 'enum', 'const', 'if', 'then', 'else'] as const;

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

function below(schema: unknown, { rules, root, depth }: Below): unknown {
  if (typeof schema === 'boolean' && !rules.booleanSchemas) {
    return below(schema ? {} : { not: {} }, { rules, root, depth });
  }
  if (!isObject(schema) || depth > MAX_SCHEMA_DEPTH) return schema;
  const alone = rules.schemaSiblings ? schema : withoutSiblings(schema, root);
  const filled = rules.arraysOfItems ? withItems(alone) : alone;
  const said = rules.typedSchemas && depth > 0 ? typed(filled) : filled;
  return mapSchemas(said, (one) => below(one, { rules, root, depth: depth + 1 }));
}

/** An array of anything says so. */
function withItems(schema: JsonObject): JsonObject {
  const isArray = schema.type === 'array' || elements(schema.type).includes('array');
  const isOpen = schema.items === undefined && schema.prefixItems === undefined;
  return isArray && isOpen ? { ...schema, items: {} } : schema;
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
