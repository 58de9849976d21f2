import type { FinishReason, JsonObject } from '../../../../formats/chat/types.js';
import { textOf } from '../../../../formats/json.js';
import { UpstreamFailure } from '../../../../inference/ports/failure.js';
import { truncated } from '../../../common/failures.js';

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

/** Reasons of unusable output, which must not pass for an answer. They do not count against the endpoint's health. */
const MALFORMED: ReadonlySet<string> = new Set([
  'MALFORMED_FUNCTION_CALL',
  'MALFORMED_RESPONSE',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MISSING_THOUGHT_SIGNATURE',
]);

/** Reasons of an answer that broke off. */
const TRUNCATED: ReadonlySet<string> = new Set(['OTHER', 'IMAGE_OTHER', 'NO_IMAGE']);

/** Unknown reasons count as `stop`. Throws `UpstreamFailure` for an unusable or truncated answer. */
export function finishReasonOf(native: string, candidate: JsonObject, hasCalls: boolean): FinishReason {
  if (TRUNCATED.has(native)) throw truncated();
  if (MALFORMED.has(native)) throw unusable(native, textOf(candidate.finishMessage));
  const reason = REASONS.get(native) ?? 'stop';
  return reason === 'stop' && hasCalls ? 'tool_calls' : reason;
}

function unusable(native: string, message = 'the model lost its way'): UpstreamFailure {
  return new UpstreamFailure(`${native}: ${message}`, {
    kind: 'upstream_error',
    error: 'malformed',
    isPenalised: false,
  });
}
