/** Rules about schemas of functions and of answers. */
import { type Body, type FoundSchema, objectIn, schemasOf, subschemasOf } from './chat.js';
import { answerAs, SCHEMA, withTool } from './examples.js';
import type { Evidence, Rule } from './rule.js';

/** Which schemas a rule is about. */
export interface Scope {
  readonly of: readonly FoundSchema['of'][];
  /** Only those that the model is held to. */
  readonly strict?: boolean;
  /** An empty schema is none, about which nothing is said. */
  readonly isEmptyNone?: boolean;
}

type Words = (schema: FoundSchema, path: string, word: string) => string;

export const FUNCTIONS: Scope = { of: ['function'] };
export const STRICT: Scope = { of: ['function', 'answer'], strict: true };
export const STRICT_ANSWERS: Scope = { of: ['answer'], strict: true };

/** The outermost schema is of an object. */
export function rootObject(evidence: Evidence, scope: Scope, words: Words): Rule {
  const { type: _, ...bare } = SCHEMA;
  return rule(evidence, scope, 'A schema whose type is not object.', bare, (schema) =>
    objectIn(schema.value)?.type === 'object'
      ? undefined
      : words(schema, '', String(objectIn(schema.value)?.type)),
  );
}

/** The outermost schema has none of these words. */
export function rootWithout(evidence: Evidence, scope: Scope, names: readonly string[], words: Words): Rule {
  const [name = ''] = names;
  return rule(
    evidence,
    scope,
    `A schema with ${names.join(', ')} at its root.`,
    { ...SCHEMA, [name]: [SCHEMA, SCHEMA] },
    (schema) => {
      const found = names.find((one) => objectIn(schema.value)?.[one] !== undefined);
      return found === undefined ? undefined : words(schema, '', found);
    },
  );
}

/** No schema within has one of these words; `example` is what one of them may say. */
export function withoutWords(evidence: Evidence, scope: Scope, said: Body, words: Words): Rule {
  const names = Object.keys(said);
  const [name = ''] = names;
  const inner = { type: 'string', [name]: said[name] };
  return rule(evidence, scope, `Schemas with ${names.join(', ')}.`, withProperty(inner), (schema) =>
    each(schema, (node, path) => {
      const found = names.find((one) => node[one] !== undefined);
      return found === undefined ? undefined : words(schema, path, found);
    }),
  );
}

/** Schemas are objects, never true or false; `additionalProperties` may be. */
export function noBooleans(evidence: Evidence, scope: Scope, words: Words): Rule {
  return rule(evidence, scope, 'true or false in the place of a schema.', withProperty(true), (schema) => {
    const found = subschemasOf(schema.value).find(({ value }) => typeof value === 'boolean');
    return found === undefined ? undefined : words(schema, found.path, String(found.value));
  });
}

/** Objects say that they have no further properties. */
export function closedObjects(evidence: Evidence, scope: Scope, words: Words): Rule {
  const { additionalProperties: _, ...open } = SCHEMA;
  return rule(evidence, scope, 'Objects without additionalProperties: false.', open, (schema) =>
    each(schema, (node, path) =>
      node.type === 'object' && node.additionalProperties !== false
        ? words(schema, path, 'additionalProperties')
        : undefined,
    ),
  );
}

/** Every property is required. */
export function allRequired(evidence: Evidence, scope: Scope, words: Words): Rule {
  return rule(evidence, scope, 'Properties that are not required.', { ...SCHEMA, required: [] }, (schema) =>
    each(schema, (node, path) => {
      const required: readonly unknown[] = Array.isArray(node.required) ? node.required : [];
      const missing = Object.keys(objectIn(node.properties) ?? {}).find((name) => !required.includes(name));
      return missing === undefined ? undefined : words(schema, path, missing);
    }),
  );
}

/** Arrays say of what. */
export function arraysOfSomething(evidence: Evidence, scope: Scope, words: Words): Rule {
  return rule(evidence, scope, 'Arrays without items.', withProperty({ type: 'array' }), (schema) =>
    each(schema, (node, path) =>
      node.type === 'array' && node.items === undefined && node.prefixItems === undefined
        ? words(schema, path, 'items')
        : undefined,
    ),
  );
}

/** Every schema says its type, or has words of which it follows. */
export function typesSaid(evidence: Evidence, scope: Scope, words: Words): Rule {
  const enough = ['type', 'anyOf', '$ref', 'enum', 'const'];
  return rule(
    evidence,
    scope,
    'Schemas without a type.',
    withProperty({ description: 'A city.' }),
    (schema) =>
      each(schema, (node, path) =>
        path === '' || enough.some((word) => node[word] !== undefined)
          ? undefined
          : words(schema, path, 'type'),
      ),
  );
}

/** A type stands in the alternatives of anyOf, not beside them. */
export function noTypeBesideAnyOf(evidence: Evidence, scope: Scope, words: Words): Rule {
  const both = { type: 'string', anyOf: [{ type: 'string', enum: ['Paris'] }, { type: 'string' }] };
  return rule(evidence, scope, 'type beside anyOf.', withProperty(both), (schema) =>
    each(schema, (node, path) =>
      node.anyOf !== undefined && node.type !== undefined ? words(schema, path, 'anyOf') : undefined,
    ),
  );
}

/** References are to `$defs` of the root, or to the root, with nothing beside them. */
export function references(evidence: Evidence, scope: Scope, words: Words): Rule {
  const referring = {
    ...withProperty({ $ref: '#/definitions/city' }),
    definitions: { city: { type: 'string' } },
  };
  return rule(evidence, scope, 'References that are not to #/$defs/.', referring, (schema) =>
    each(schema, (node, path) => {
      const to = node.$ref;
      return to === undefined || to === '#' || String(to).startsWith('#/$defs/')
        ? undefined
        : words(schema, path, '$ref');
    }),
  );
}

/** Words beside a reference do not contradict what it refers to: none that it has itself. */
export function nothingBesideReferences(evidence: Evidence, scope: Scope, words: Words): Rule {
  const described = { description: 'Where.', type: 'string' };
  const referring = {
    ...withProperty({ $ref: '#/$defs/city', description: 'The city.' }),
    $defs: { city: described },
  };
  return rule(
    evidence,
    scope,
    'A word beside a reference that is also where it leads.',
    referring,
    (schema) => {
      const defs = objectIn(objectIn(schema.value)?.$defs) ?? {};
      return each(schema, (node, path) => {
        const target = objectIn(defs[String(node.$ref).replace('#/$defs/', '')]);
        const clash = Object.keys(node).find((word) => word !== '$ref' && target?.[word] !== undefined);
        return node.$ref === undefined || clash === undefined ? undefined : words(schema, path, clash);
      });
    },
  );
}

function rule(
  evidence: Evidence,
  scope: Scope,
  refuses: string,
  bad: unknown,
  find: (schema: FoundSchema) => string | undefined,
): Rule {
  const strict = scope.strict === true;
  const example = (schema: unknown) =>
    scope.of.includes('function')
      ? withTool({ parameters: schema, ...(strict && { strict }) })
      : answerAs(schema);
  const about = `${scope.of.join(' and ')}${strict ? ', where strict' : ''}`;
  return {
    ...evidence,
    refuses: `${refuses.slice(0, -1)} (${about}).`,
    example: { refused: example(bad), taken: example(SCHEMA) },
    violation: (body) => {
      for (const schema of schemasOf(body)) {
        if (!scope.of.includes(schema.of) || (strict && !schema.isStrict)) continue;
        const isNone =
          scope.isEmptyNone === true && Object.keys(objectIn(schema.value) ?? { a: 1 }).length === 0;
        const words = isNone ? undefined : find(schema);
        if (words !== undefined) return words;
      }
      return undefined;
    },
  };
}

function withProperty(schema: unknown): Body {
  return { ...SCHEMA, properties: { city: schema } };
}

function each(
  schema: FoundSchema,
  find: (node: Body, path: string) => string | undefined,
): string | undefined {
  for (const { path, value } of subschemasOf(schema.value)) {
    const node = objectIn(value);
    const words = node === undefined ? undefined : find(node, path);
    if (words !== undefined) return words;
  }
  return undefined;
}
