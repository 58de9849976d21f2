import type { FinishMeaning } from '../../../catalog/quirks.js';
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
  const word = native?.toLowerCase() ?? 'stop';
  const meaning = finishReasons.get(word) ?? meaningWithin(word, finishReasons) ?? 'stop';
  if (meaning === 'error') throw truncated();
  return reasonBeside(meaning, hasCalls);
}

/** Google's compatible endpoint says two words: `content_filter: RECITATION`, `function_call_filter: MALFORMED_FUNCTION_CALL`. */
function meaningWithin(
  native: string,
  finishReasons: AnswerRules['finishReasons'],
): FinishMeaning | undefined {
  if (!native.includes(':')) return undefined;
  const meanings = native.split(':').map((word) => finishReasons.get(word.trim()));
  return meanings.find((meaning) => meaning !== undefined);
}
