import type { JsonObject } from '../../../formats/chat/types.js';
import { elements, isObject, members } from '../../../formats/json.js';
import type { UpstreamAnswer } from '../../../inference/ports/adapter.js';
import { malformed } from '../../common/failures.js';
import { readAnswer } from '../chat/answer.js';
import type { AnswerRules } from '../chat/answer-rules.js';
import { readAssistantOutput } from '../chat/assistant-output.js';
import { Echo } from './echo.js';

/** The answer as it came, and in terms of a chat. Throws `UpstreamFailure` `malformed` for anything else. */
export function nativeAnswer(
  json: unknown,
  request: JsonObject,
  rules: AnswerRules,
): UpstreamAnswer<'completions'> {
  if (!isObject(json)) throw malformed();
  const native = withTexts(json, rules);
  return { format: 'completions', native, normalized: readAnswer(new Echo(request).without(native), rules) };
}

/** An answer or a chunk whose choices have texts, as clients read them: Mistral's have messages and deltas, as those of chats. */
export function withTexts(answer: JsonObject, rules: AnswerRules): JsonObject {
  const choices = elements(answer.choices);
  if (choices.every((choice) => typeof members(choice).text === 'string')) return answer;
  return {
    ...answer,
    object: 'text_completion',
    choices: choices.map((choice) => {
      const { message, delta, ...others } = members(choice);
      if (typeof others.text === 'string') return choice;
      return { ...others, text: readAssistantOutput(delta ?? message, rules).content ?? '' };
    }),
  };
}
