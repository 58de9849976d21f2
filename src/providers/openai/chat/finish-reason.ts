import type { FinishReason } from '../../../formats/chat/types.js';
import { truncated } from '../../common/failures.js';

const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['model_length', 'length'],
  ['max_tokens', 'length'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['content_filter', 'content_filter'],
]);

/** Reasons of an answer that broke off, which must not pass for a complete one. */
const TRUNCATED: ReadonlySet<string> = new Set(['error', 'insufficient_system_resource']);

/** Unknown reasons count as `stop`. Throws `UpstreamFailure` `truncated` for an answer that broke off. */
export function finishReasonOf(native: string): FinishReason {
  if (TRUNCATED.has(native)) throw truncated();
  return REASONS.get(native) ?? 'stop';
}
