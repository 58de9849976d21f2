import type { FinishReason, JsonObject } from '../../../formats/chat/types.js';
import { UpstreamFailure } from '../../../inference/attempts/failure.js';
import { truncated } from '../../http/failures.js';
import { textOf } from '../../http/json.js';

const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['SAFETY', 'content_filter'],
  ['RECITATION', 'content_filter'],
  ['LANGUAGE', 'content_filter'],
  ['BLOCKLIST', 'content_filter'],
  ['PROHIBITED_CONTENT', 'content_filter'],
  ['SPII', 'content_filter'],
  ['MODEL_ARMOR', 'content_filter'],
  ['IMAGE_SAFETY', 'content_filter'],
  ['IMAGE_PROHIBITED_CONTENT', 'content_filter'],
  ['IMAGE_RECITATION', 'content_filter'],
]);

/** Words for a model that lost its way: what it said so far must not pass for an answer, and it is nobody's outage. */
const DERAILED: ReadonlySet<string> = new Set([
  'MALFORMED_FUNCTION_CALL',
  'MALFORMED_RESPONSE',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MISSING_THOUGHT_SIGNATURE',
]);

/** Words for an answer that ended before its end, for no reason that Google gives. */
const BROKEN: ReadonlySet<string> = new Set(['OTHER', 'IMAGE_OTHER', 'NO_IMAGE']);

/** Our word for Google's; one that is not known is an ordinary end. Throws `UpstreamFailure` for a broken answer. */
export function finishReasonOf(native: string, candidate: JsonObject, hasCalls: boolean): FinishReason {
  if (BROKEN.has(native)) throw truncated();
  if (DERAILED.has(native)) throw derailed(native, textOf(candidate.finishMessage));
  const reason = REASONS.get(native) ?? 'stop';
  return reason === 'stop' && hasCalls ? 'tool_calls' : reason;
}

function derailed(native: string, message = 'the model lost its way'): UpstreamFailure {
  return new UpstreamFailure(`${native}: ${message}`, {
    kind: 'upstream_error',
    error: 'malformed',
    isPenalised: false,
  });
}
