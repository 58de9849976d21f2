import type { DescField, JsonObject } from '@bufbuild/protobuf';
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt';
import { Plane } from '../../../gen/byway/options/v1/options_pb.js';
import type { Operation, PathParameter } from '../operation.js';
import { commentOf, described } from './comments.js';
import { exampleOfField } from './examples.js';
import { fieldSchema, type SchemaOf } from './field-schema.js';
import { isRequired } from './rules.js';
import { orNull, reference } from './schema.js';

/** For whom inference spends, and how much at most. See `docs/money.md#runs` and `docs/money.md#end-users`. */
const ATTRIBUTION_PARAMETERS = {
  'X-Byway-Run': {
    name: 'X-Byway-Run',
    in: 'header',
    description: 'Names the run of the API key that the request is a part of.',
    schema: { type: 'string', minLength: 1, maxLength: 128, pattern: '^[!-~]+$' },
  },
  'X-Byway-Run-Limit-Usd': {
    name: 'X-Byway-Run-Limit-Usd',
    in: 'header',
    description:
      'What the run may spend in all, in USD, at most 1000000000: the first request with a limit sets it, later ones may lower it. Only with `X-Byway-Run`.',
    schema: { type: 'string', pattern: '^[0-9]{1,10}([.][0-9]{1,9})?$' },
  },
  'X-Byway-End-User': {
    name: 'X-Byway-End-User',
    in: 'header',
    description:
      'Names the end user behind the API key, before any member of the body. Without it, or where it is blank, a member does.',
    schema: { type: 'string', maxLength: 256 },
  },
};

/** Parameters that several operations have. */
export const SHARED_PARAMETERS: JsonObject = {
  ...ATTRIBUTION_PARAMETERS,
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of an earlier answer: where it still holds, the answer is 304 without a body.',
    schema: { type: 'string' },
  },
};

const ATTRIBUTION_REFERENCES = Object.keys(ATTRIBUTION_PARAMETERS).map((name) =>
  reference('parameters', name),
);

/** The operation's parameters: of the path, of the query, of the headers. */
export function parametersOf(operation: Operation, schemaOf: SchemaOf): JsonObject[] {
  return [
    ...operation.pathParameters.map((parameter) => pathParameter(parameter, schemaOf)),
    ...operation.query.map((field) => queryParameter(field, schemaOf)),
    ...(operation.rule.revalidates ? [reference('parameters', 'If-None-Match')] : []),
    ...(operation.rule.plane === Plane.INFERENCE ? ATTRIBUTION_REFERENCES : []),
  ];
}

function pathParameter({ name, fields }: PathParameter, schemaOf: SchemaOf): JsonObject {
  const field = fields.at(-1);
  if (field === undefined) throw new Error(`the path variable ${name} names no field`);
  return {
    name,
    in: 'path',
    required: true,
    ...described(commentOf(field)),
    schema: fieldSchema(field, schemaOf),
    example: exampleOfField(field),
  };
}

/**
 * An optional parameter counts as omitted when it is empty or `null`. An integer without a range rule has no bounds: a
 * value beyond the range of its type counts as the nearest one within.
 */
function queryParameter(field: DescField, schemaOf: SchemaOf): JsonObject {
  const { format, ...unbounded } = fieldSchema(field, schemaOf);
  const isBounded = unbounded.type !== 'integer' || unbounded.maximum !== undefined;
  const schema = isBounded && format !== undefined ? { ...unbounded, format } : unbounded;
  const isOptional = field.presence === FeatureSet_FieldPresence.EXPLICIT && !isRequired(field);
  return {
    name: field.name,
    in: 'query',
    ...(isRequired(field) && { required: true, example: exampleOfField(field) }),
    ...described(commentOf(field)),
    schema: isOptional ? orNull(schema) : schema,
    ...(isOptional && { allowEmptyValue: true }),
  };
}
