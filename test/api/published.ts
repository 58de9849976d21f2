import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import type { Operation } from '../../src/rest/operation.js';
import { asObject, resolve } from '../support/json-schema.js';

/** The published description of the operation. */
export function published(document: JsonObject, { httpMethod, path }: Operation): JsonObject {
  const methods = asObject(asObject(document.paths)[`/api/v1${path}`]);
  return asObject(methods[httpMethod.toLowerCase()]);
}

/** The answer that is published for the status; undefined when there is none but the default. */
export function publishedAnswer(
  document: JsonObject,
  operation: Operation,
  status: number,
): JsonObject | undefined {
  const answer = asObject(published(document, operation).responses)[status];
  return answer === undefined ? undefined : resolve(document, answer);
}

/** Schema and example of a kind of content. */
export function contentOf(
  holder: JsonObject | undefined,
  type = 'application/json',
): { schema: JsonValue | undefined; example: JsonValue | undefined } {
  const { schema, example } = asObject(asObject(holder?.content)[type]);
  return { schema, example };
}
