import type { FinishReason } from '../../formats/chat/types.js';

/**
 * The finish reason of a choice that may have calls. Many hosts say `stop` beside them, where agents would stop; some say
 * `tool_calls` where there are none, for whose results agents would wait.
 */
export function reasonBeside(reason: FinishReason, hasCalls: boolean): FinishReason {
  if (reason !== 'stop' && reason !== 'tool_calls') return reason;
  return hasCalls ? 'tool_calls' : 'stop';
}
