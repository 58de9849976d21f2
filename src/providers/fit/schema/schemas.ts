/** Schemas of tools' arguments, as clients, their servers and schema libraries write them. */
import { exactJson } from '../../../base/json/json-body.js';
import type { ChatContract } from '../../../catalog/chat-contract.js';
import type { JsonObject } from '../../../formats/chat/types.js';
import { elements, isObject, members } from '../../../formats/json.js';
import { MAX_SCHEMA_DEPTH, referred, withSchemas } from './json-schema.js';
import { typed } from './typed.js';

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
  const budget = { left: MAX_REPLACED };
  return below(renamed, { rules, root: renamed, depth: 0, replaced: NONE, budget }) as JsonObject;
}

function isPlain({ booleanSchemas, schemaSiblings, typedSchemas, arraysOfItems }: SchemaRules): boolean {
  return booleanSchemas && schemaSiblings && !typedSchemas && !arraysOfItems;
}

/** Definitions under their newer name, and the references to them; those to anything else say nothing. */
function withDefs(schema: JsonObject): JsonObject {
  const { definitions, ...rest } = schema;
  const defs = { ...members(definitions), ...members(rest.$defs) };
  const root = definitions === undefined ? schema : { ...rest, $defs: defs };
  return referring(root, 0) as JsonObject;
}

function referring(schema: unknown, depth: number): unknown {
  if (!isObject(schema) || depth > MAX_SCHEMA_DEPTH) return schema;
  const within = withSchemas(schema, (one) => referring(one, depth + 1));
  const { $ref, ...rest } = within;
  if ($ref === undefined) return within;
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
  const branches = branchesOf(schema, schema, new Set());
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

/** Each schema is a branch once, however often it is referred to. */
function branchesOf(
  schema: JsonObject,
  root: JsonObject,
  seen: Set<JsonObject>,
  isAlternative = false,
): Branch[] {
  if (seen.has(schema) || seen.size > MAX_BRANCHES) return [];
  seen.add(schema);
  const target = referred(schema, root);
  const nested = (['anyOf', 'oneOf', 'allOf'] as const).flatMap((word) =>
    elements(schema[word]).flatMap((branch) =>
      isObject(branch) ? branchesOf(branch, root, seen, isAlternative || word !== 'allOf') : [],
    ),
  );
  const referredTo = target === undefined ? [] : branchesOf(target, root, seen, isAlternative);
  return [{ schema, isAlternative }, ...nested, ...referredTo];
}

function propertiesOf(branches: readonly JsonObject[]): JsonObject {
  const found = new Map<string, Map<string, unknown>>();
  for (const { properties } of branches) {
    for (const [name, schema] of Object.entries(members(properties))) {
      const known = found.get(name) ?? new Map<string, unknown>();
      found.set(name, known.set(exactJson(schema), schema));
    }
  }
  return Object.fromEntries([...found].map(([name, schemas]) => [name, oneOf([...schemas.values()])]));
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

/** Branches of one root: real unions have a few dozen. */
const MAX_BRANCHES = 1_000;

/** References of one schema in whose place stands what they point to; each of those may hold further ones. */
const MAX_REPLACED = 1_000;

const NONE: ReadonlySet<unknown> = new Set();

interface Below {
  readonly rules: SchemaRules;
  readonly root: JsonObject;
  readonly depth: number;
  /** The references in whose place the schema stands. */
  readonly replaced: ReadonlySet<unknown>;
  readonly budget: { left: number };
}

function below(schema: unknown, at: Below): unknown {
  const { rules, depth } = at;
  if (typeof schema === 'boolean' && !rules.booleanSchemas) return below(schema ? {} : { not: {} }, at);
  if (!isObject(schema) || depth > MAX_SCHEMA_DEPTH) return schema;
  const target = rules.schemaSiblings ? undefined : replacementOf(schema, at);
  const alone = rules.schemaSiblings ? schema : withoutSiblings(schema, target);
  const replaced = target === undefined ? at.replaced : new Set(at.replaced).add(schema.$ref);
  const filled = rules.arraysOfItems ? withItems(alone) : alone;
  const said = rules.typedSchemas && depth > 0 ? typed(filled) : filled;
  return withSchemas(said, (one) => below(one, { ...at, replaced, depth: depth + 1 }));
}

/** An array of anything says so. */
function withItems(schema: JsonObject): JsonObject {
  const isArray = schema.type === 'array' || elements(schema.type).includes('array');
  const isOpen = schema.items === undefined && schema.prefixItems === undefined;
  return isArray && isOpen ? { ...schema, items: {} } : schema;
}

/** What a reference with words beside it points to; undefined where it stays one. */
function replacementOf(schema: JsonObject, { root, replaced, budget }: Below): JsonObject | undefined {
  if (!hasSiblings(schema) || replaced.has(schema.$ref) || budget.left === 0) return undefined;
  budget.left -= 1;
  return referred(schema, root);
}

function hasSiblings({ $ref, ...beside }: JsonObject): boolean {
  return $ref !== undefined && Object.keys(beside).some((word) => word !== '$defs' && word !== 'definitions');
}

/** What a reference points to stands in its place where words stand beside it; the type of a union in its branches. */
function withoutSiblings(schema: JsonObject, target: JsonObject | undefined): JsonObject {
  if (hasSiblings(schema)) {
    const { $ref, ...beside } = schema;
    return target === undefined ? { $ref } : { ...target, ...beside };
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
