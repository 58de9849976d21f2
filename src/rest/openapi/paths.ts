import type { JsonObject } from '@bufbuild/protobuf';
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

function requestBody(operation: Operation, schemas: Schemas): JsonObject {
  const schema = schemas.body(operation);
  if (operation.body === undefined || schema === undefined) return {};
  const { field, message } = operation.body;
  const limitMib = bodyLimitBytes(operation.rule.plane) / 2 ** 20;
  return {
    requestBody: {
      required: true,
      description: `${commentOf(field ?? message)} At most ${limitMib} MiB.`,
      content: { 'application/json': { schema, example: bodyExample(operation.body) } },
    },
  };
}
