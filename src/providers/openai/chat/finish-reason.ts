import type { FinishReason } from '../../../formats/chat/types.js';
import { textOf } from '../../../formats/json.js';
import { truncated } from '../../common/failures.js';
import { reasonBeside } from '../../common/finish.js';
import type { AnswerRules } from './answer-rules.js';

/** The host's own reason; undefined for none, which some hosts send as an empty text or as the word `null`. */
export function nativeReasonIn(finish_reason: unknown): string | undefined {
  return finish_reason === 'null' ? undefined : textOf(finish_reason);
}

/**
 * `native` undefined: the host has named none, and is done. Throws `UpstreamFailure` `truncated` for an answer that broke off,
 * which must not pass for a complete one.
 */
export function finishReasonOf(
  native: string | undefined,
  { finishReasons }: Pick<AnswerRules, 'finishReasons'>,
  hasCalls: boolean,
): FinishReason {
  const meaning = finishReasons.get(native?.toLowerCase() ?? 'stop') ?? 'stop';
  if (meaning === 'error') throw truncated();
  return reasonBeside(meaning, hasCalls);
}
