import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/formats/chat/types.js';
import { supportedSchema } from '../../../src/providers/anthropic/chat/schema.js';

const SCHEMAS: readonly [name: string, schema: JsonObject][] = [
  ['a closed object', { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false }],
  ['an open object', { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }],
  ['bounds', { type: 'number', minimum: 1, maximum: 2 }],
  ['bounds beside a description', { type: 'string', description: 'A name', minLength: 1 }],
  ['lists', { type: 'array', items: { type: 'object', properties: {} }, minItems: 1 }],
  ['lists of a length', { type: 'array', items: { type: 'string' }, maxItems: 3, minItems: 2 }],
  ['formats', { type: 'object', properties: { a: { type: 'string', format: 'date' } } }],
  ['formats of its own', { type: 'string', format: 'phone' }],
  ['one of several', { oneOf: [{ type: 'string' }, { type: 'object', properties: {} }] }],
  ['any of several', { anyOf: [{ type: 'string' }, { type: 'null' }], title: 'T' }],
  ['all of several', { allOf: [{ type: 'object', properties: {} }] }],
  ['definitions', { $defs: { a: { type: 'object', properties: {} } }, $ref: '#/$defs/a' }],
  ['a dialect', { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'boolean' }],
];

describe('schemas as far as the API takes them', () => {
  it.each(SCHEMAS)('are what the official client makes of %s', (_, schema) => {
    const theirs: unknown = transformJSONSchema({ ...schema });
    expect(supportedSchema(schema)).toEqual(theirs);
  });

  it('keep enums and defaults, and values that are no schema', () => {
    const schema = { type: 'string', enum: ['a', 'b'], default: 'a' };
    expect(supportedSchema(schema)).toEqual(schema);
    expect(supportedSchema({ anyOf: [true] })).toEqual({ anyOf: [true] });
  });

  it('leave the given one as it was', () => {
    const schema = { type: 'object', properties: { a: { type: 'integer', minimum: 1 } } };
    const copy = structuredClone(schema);
    supportedSchema(schema);
    expect(schema).toEqual(copy);
  });
});
