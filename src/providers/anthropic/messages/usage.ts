import { members } from '../../../formats/json.js';
import { shortAnswerJson } from '../../common/answer-json.js';
import { malformed } from '../../common/failures.js';

/** The tokens of a prompt, from the text of a count. Throws `UpstreamFailure` `malformed` if there are none. */
export function readCount(text: string): number {
  const { input_tokens } = members(shortAnswerJson(text));
  if (typeof input_tokens !== 'number') throw malformed();
  return input_tokens;
}
