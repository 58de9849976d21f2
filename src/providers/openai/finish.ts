import type { FinishReason } from '../../formats/chat/types.js';
import { truncated } from '../http/failures.js';

const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['model_length', 'length'],
  ['max_tokens', 'length'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['content_filter', 'content_filter'],
]);

/** Words for an answer that broke off on the provider's side: it must not pass for a complete one. */
const BROKEN: ReadonlySet<string> = new Set(['error', 'insufficient_system_resource']);

/** Our word for the provider's; one that is not known is an ordinary end. Throws `UpstreamFailure` for a broken answer. */
export function finishReasonOf(native: string): FinishReason {
  if (BROKEN.has(native)) throw truncated();
  return REASONS.get(native) ?? 'stop';
}
