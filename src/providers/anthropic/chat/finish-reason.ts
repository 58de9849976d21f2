import type { FinishReason } from '../../../formats/chat/types.js';

const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['pause_turn', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['refusal', 'content_filter'],
]);

/** Unknown stop reasons count as `stop`. */
export function finishReasonOf(native: string | null): FinishReason {
  return REASONS.get(native ?? '') ?? 'stop';
}
