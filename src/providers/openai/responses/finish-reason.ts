import type { FinishReason, JsonObject } from '../../../formats/chat/types.js';
import { members, textOf } from '../../../formats/json.js';
import { reasonBeside } from '../../common/finish.js';

/** Why an answer is incomplete: `incomplete_details.reason`. */
const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['max_output_tokens', 'length'],
  ['content_filter', 'content_filter'],
]);

/** Whatever else cuts an answer is told as a limit: it is not complete. */
export function finishReasonIn(response: JsonObject, hasCalls: boolean): FinishReason {
  if (response.status !== 'incomplete') return reasonBeside('stop', hasCalls);
  return REASONS.get(nativeReasonOf(response)) ?? 'length';
}

/** The reason of an incomplete answer, else its status. */
export function nativeReasonOf({ status, incomplete_details }: JsonObject): string {
  return textOf(members(incomplete_details).reason) ?? textOf(status) ?? 'completed';
}
