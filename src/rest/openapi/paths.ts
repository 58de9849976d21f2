import type { JsonObject } from '@bufbuild/protobuf';
import { Plane } from '../../../gen/byway/options/v1/options_pb.js';
import type { Apis } from '../../http/api-conventions.js';
import { bodyLimitBytes } from '../../http/body.js';
import { type Operation, REST_ROOT } from '../operation.js';
import { commentOf, described, summaryOf } from './comments.js';
import { bodyExample } from './examples.js';
import { parametersOf } from './parameters.js';
import { responsesOf } from './responses.js';
import { sorted } from './schema.js';
import type { Schemas } from './schemas.js';
import { securityOf } from './security.js';
import { tagOf } from './tags.js';

/** Every path with its operations. */
export function pathsOf(operations: readonly Operation[], schemas: Schemas, apis: Apis): JsonObject {
  const paths = [...new Set(operations.map(({ path }) => path))];
  return sorted(
    paths.map((path) => {
      const ofPath = operations.filter((operation) => operation.path === path);
      const methods = ofPath.map(
        (operation) =>
          [operation.httpMethod.toLowerCase(), operationObject(operation, schemas, apis)] as const,
      );
      return [`${REST_ROOT}${path}`, sorted(methods)];
    }),
  );
}

function operationObject(operation: Operation, schemas: Schemas, apis: Apis): JsonObject {
  const { method, rule } = operation;
  const comment = commentOf(method);
  const summary = summaryOf(comment);
  const parameters = parametersOf(operation, schemas.input);
  return {
    tags: [tagOf(method.parent)],
    summary,
    ...(comment !== `${summary}.` && described(comment)),
    operationId: method.localName,
    security: securityOf(rule.roles),
    ...(parameters.length > 0 && { parameters }),
    ...requestBody(operation, schemas),
    responses: responsesOf(operation, schemas, apis),
  };
}

/** Not by what this Node decodes: the document is the same on each. */
const COMPRESSED =
  ' It may be compressed, as `Content-Encoding` says: `gzip`, `br`, or, where the gateway runs on Node 22.15 or later, `zstd`.';

function requestBody(operation: Operation, schemas: Schemas): JsonObject {
  const schema = schemas.body(operation);
  if (operation.body === undefined || schema === undefined) return {};
  const { field, message } = operation.body;
  const { plane } = operation.rule;
  const limitMib = bodyLimitBytes(plane) / 2 ** 20;
  const compressed = plane === Plane.INFERENCE ? COMPRESSED : '';
  return {
    requestBody: {
      required: true,
      description: `${commentOf(field ?? message)} At most ${limitMib} MiB.${compressed}`,
      content: { 'application/json': { schema, example: bodyExample(operation.body) } },
    },
  };
}
