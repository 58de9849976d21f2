/** Errors that come instead of an answer, or as events of a stream. */
import type { JsonObject } from '../../../formats/chat/types.js';
import { isObject } from '../../../formats/json.js';
import { malformed } from '../../common/failures.js';
import { reportedFailure } from './error-response.js';

/** Throws the failure that the answer or event reports. */
export function throwReported(answer: JsonObject): void {
  if (answer.type === 'error' || isObject(answer.error)) throw reportedFailure(answer);
}

/** Reads an answer's JSON as a message. Throws `UpstreamFailure` for anything else. */
export function messageIn(json: unknown): JsonObject {
  if (!isObject(json)) throw malformed();
  throwReported(json);
  return json;
}
