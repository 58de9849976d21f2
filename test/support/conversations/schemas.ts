import type { Rng } from './rng.js';

type Schema = { [word: string]: unknown } | boolean;

/** An ordinary schema of a tool. */
export function plainSchema(rng: Rng): { [word: string]: unknown } {
  const properties = {
    path: { type: 'string', description: `A path ${rng.hex(4)}` },
    limit: { type: 'integer', minimum: 1, maximum: 500, default: 20 },
    mode: { type: 'string', enum: ['fast', 'slow'] },
    lines: {
      type: 'array',
      items: { type: 'object', properties: { from: { type: 'integer' } }, required: ['from'] },
    },
  };
  const names = rng.sample(Object.keys(properties), 1 + rng.below(3));
  const chosen = Object.entries(properties).filter(([name]) => names.includes(name));
  return {
    type: 'object',
    properties: Object.fromEntries(chosen),
    required: names.slice(0, 1),
    ...(rng.chance(0.4) && { additionalProperties: false }),
    ...(rng.chance(0.2) && { $schema: 'http://json-schema.org/draft-07/schema#' }),
  };
}

const one = (name: string) => ({
  type: 'object',
  properties: { [name]: { type: 'string' } },
  required: [name],
});

/** Schemas as pydantic, zod and MCP servers write them, by what is odd about them. */
export const ODD_SCHEMAS: Readonly<Record<string, (rng: Rng) => Schema | undefined>> = {
  'anyOf at the root': () => ({ type: 'object', properties: {}, anyOf: [one('route'), one('file')] }),
  'anyOf alone at the root': () => ({ anyOf: [one('route'), one('file')] }),
  'oneOf at the root': () => ({ oneOf: [one('yaml'), one('dir')] }),
  'allOf at the root': () => ({ type: 'object', allOf: [one('a'), { not: one('b') }] }),
  'references with siblings': () => ({
    type: 'object',
    properties: { at: { $ref: '#/$defs/Place', description: 'Where', default: null } },
    $defs: { Place: { type: 'object', title: 'Place', properties: { city: { type: 'string' } } } },
  }),
  definitions: () => ({
    $ref: '#/definitions/Args',
    definitions: { Args: { type: 'object', properties: { next: { $ref: '#/definitions/Args' } } } },
  }),
  'boolean schemas': () => ({
    type: 'object',
    properties: { any: true, none: false },
    additionalProperties: true,
  }),
  formats: () => ({
    type: 'object',
    properties: {
      when: { type: 'string', format: 'date-time' },
      id: { type: 'string', format: 'uuid' },
      n: { type: 'integer', format: 'int64' },
    },
  }),
  patternProperties: () => ({
    type: 'object',
    patternProperties: { '^x-': { type: 'string' } },
    propertyNames: { pattern: '^x-' },
  }),
  nullable: () => ({
    type: 'object',
    properties: {
      a: { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null, title: 'A' },
      b: { type: ['string', 'null'] },
      c: { type: 'string', nullable: true },
    },
    title: 'Args',
  }),
  'no parameters': () => undefined,
  'empty parameters': () => ({}),
  'no type': () => ({ properties: { a: { type: 'string' } }, required: ['a'] }),
  'names of properties with blanks': () => ({
    type: 'object',
    properties: { 'Account Number': { type: 'string' }, 'rule[]': { type: 'string' } },
  }),
  'tuples of draft 7': () => ({
    type: 'object',
    properties: {
      pair: { type: 'array', items: [{ type: 'string' }, { type: 'integer' }], additionalItems: false },
    },
  }),
  'bounds of draft 4': () => ({
    type: 'object',
    properties: { n: { type: 'number', minimum: 0, exclusiveMinimum: true } },
  }),
  'const and not': () => ({
    type: 'object',
    properties: { kind: { const: 'a' }, other: { not: { type: 'null' } } },
    minProperties: 1,
  }),
  'a text at the root': () => ({ type: 'string', description: 'The whole input' }),
};
