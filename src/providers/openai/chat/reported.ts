import type { JsonObject } from '../../../formats/chat/types.js';
import { elements, members } from '../../../formats/json.js';
import { isReport } from '../host/error-report.js';
import { reportedFailure } from '../host/error-response.js';

/**
 * Throws the failure that an answer or a chunk reports. Some providers send the error in place of the chunk, not as a member of
 * it. Aggregators send it as a member of its choice.
 */
export function throwReported(answer: JsonObject): void {
  const error = answer.error ?? errorInChoice(answer);
  if (error) throw reportedFailure(error);
  if (answer.object === 'error' || isReport(answer)) throw reportedFailure(answer);
}

function errorInChoice({ choices }: JsonObject): unknown {
  return members(elements(choices)[0]).error;
}
