import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import type { Operation } from '../../src/rest/operation.js';
import { asObject, resolve } from '../support/json-schema.js';

/** The operation in the OpenAPI document. */
export function published(document: JsonObject, { httpMethod, path }: Operation): JsonObject {
  const methods = asObject(asObject(document.paths)[`/api/v1${path}`]);
  return asObject(methods[httpMethod.toLowerCase()]);
}

/** The answer in the OpenAPI document for the status, or for any that it does not name. */
export function publishedAnswer(
  document: JsonObject,
  operation: Operation,
  status: number,
): JsonObject | undefined {
  const responses = asObject(published(document, operation).responses);
  const answer = responses[status] ?? responses.default;
  return answer === undefined ? undefined : resolve(document, answer);
}

/** Schema and example of a kind of content. */
export function contentOf(
  parent: JsonObject | undefined,
  type = 'application/json',
): { schema: JsonValue | undefined; example: JsonValue | undefined } {
  const { schema, example } = asObject(asObject(parent?.content)[type]);
  return { schema, example };
}
