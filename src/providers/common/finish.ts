import type { FinishReason } from '../../formats/chat/types.js';

/** The finish reason of a choice that may have calls: many hosts say `stop` beside them, where agents would stop. */
export function reasonBeside(reason: FinishReason, hasCalls: boolean): FinishReason {
  return reason === 'stop' && hasCalls ? 'tool_calls' : reason;
}
