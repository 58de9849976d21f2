import type { FinishReason } from '../../../formats/chat/types.js';
import { malformed } from '../../common/failures.js';
import { reasonBeside } from '../../common/finish.js';

const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['guardrail_intervened', 'content_filter'],
  ['content_filtered', 'content_filter'],
]);

/** Stop reasons of unusable output, which must not pass for a complete answer. */
const MALFORMED: ReadonlySet<string> = new Set(['malformed_model_output', 'malformed_tool_use']);

/** Unknown stop reasons count as `stop`. Throws `UpstreamFailure` `malformed` for unusable output. */
export function finishReasonOf(native: string | null, hasCalls: boolean): FinishReason {
  if (native !== null && MALFORMED.has(native)) throw malformed();
  return reasonBeside(REASONS.get(native ?? '') ?? 'stop', hasCalls);
}
