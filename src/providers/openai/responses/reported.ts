/** Errors that come instead of an answer, or as events of a stream. */
import type { JsonObject } from '../../../formats/chat/types.js';
import { isObject, members } from '../../../formats/json.js';
import { malformed } from '../../common/failures.js';
import { isReport } from '../host/error-report.js';
import { reportedFailure } from '../host/error-response.js';

/** Throws the failure that an event reports. */
export function throwReportedEvent(event: JsonObject): void {
  const { type, error, response } = event;
  // Flat at OpenAI, in a member at hosts that follow the public document of the protocol.
  if (type === 'error') throw reportedFailure(isObject(error) ? error : withoutType(event));
  // Some gateways tell it beside the response: https://github.com/openai/codex/issues/24973 (2026-11-26).
  if (type === 'response.failed') throw reportedFailure(members(response).error ?? error ?? {});
  if (typeof type !== 'string' && (error || isReport(event))) throw reportedFailure(error ?? event);
}

/** Reads an answer's JSON as a response. Throws `UpstreamFailure` for anything else. */
export function responseIn(json: unknown): JsonObject {
  if (!isObject(json)) throw malformed();
  const { status, error, output } = json;
  if (status === 'failed' || error) throw reportedFailure(error ?? {});
  if (!Array.isArray(output) && (json.object === 'error' || isReport(json))) throw reportedFailure(json);
  return json;
}

/** The type of an event is none of an error. */
function withoutType({ type, ...error }: JsonObject): JsonObject {
  return error;
}
