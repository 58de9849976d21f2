import type { JsonObject, JsonValue } from '@bufbuild/protobuf';

/** A JSON Schema (2020-12), as OpenAPI 3.1 has it. */
export type Schema = JsonObject;

/** The schema with null as a further value. */
export function orNull(schema: Schema): Schema {
  const { type, enum: values } = schema;
  if (type === undefined) return { anyOf: [schema, { type: 'null' }] };
  return {
    ...schema,
    type: [...[type].flat(), 'null'],
    ...(values !== undefined && { enum: [...[values].flat(), null] }),
  };
}

/** A reference to a component. */
export function reference(section: string, name: string): Schema {
  return { $ref: `#/components/${section}/${name}` };
}

/** An object with its members in the order of their names, so that the same things always read the same. */
export function sorted(entries: Iterable<readonly [string, JsonValue]>): JsonObject {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}
