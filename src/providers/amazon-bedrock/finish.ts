import type { FinishReason } from '../../formats/chat/types.js';
import { malformed } from '../http/failures.js';

const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['guardrail_intervened', 'content_filter'],
  ['content_filtered', 'content_filter'],
]);

/** Words for an answer that the model spoiled: it must not pass for a complete one. */
const SPOILED: ReadonlySet<string> = new Set(['malformed_model_output', 'malformed_tool_use']);

/** Our word for the provider's; one that is not known is an ordinary end. Throws `UpstreamFailure` for a spoiled answer. */
export function finishReasonOf(native: string | null): FinishReason {
  if (native !== null && SPOILED.has(native)) throw malformed();
  return REASONS.get(native ?? '') ?? 'stop';
}
