import type { FinishReason } from '../../../formats/chat/types.js';
import { reasonBeside } from '../../common/finish.js';

const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['pause_turn', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['refusal', 'content_filter'],
]);

/** Unknown stop reasons count as `stop`. A turn that is paused is not the caller's, whatever it calls. */
export function finishReasonOf(native: string | null, hasCalls: boolean): FinishReason {
  const reason = REASONS.get(native ?? '') ?? 'stop';
  return native === 'pause_turn' ? reason : reasonBeside(reason, hasCalls);
}
