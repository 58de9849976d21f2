import { MAX_CHOICES } from '../../../formats/answer-size.js';
import type { AnswerChoice, AssistantMessage } from '../../../formats/chat/types.js';
import { elements, isObject, members, textOf } from '../../../formats/json.js';
import type { NormalizedAnswer } from '../../../inference/ports/adapter.js';
import { boundedElements } from '../../common/answer-bounds.js';
import { AnswerCallIds } from '../../common/answer-call-ids.js';
import { choicesByIndex } from '../../common/choices.js';
import { malformed } from '../../common/failures.js';
import { membersOf } from './answer-members.js';
import { ANY_HOST, type AnswerRules } from './answer-rules.js';
import { readAssistantOutput, textMessage } from './assistant-output.js';
import { CallSignatures } from './call-signatures.js';
import { finishReasonOf, nativeReasonIn } from './finish-reason.js';
import { choiceLogprobs } from './logprobs.js';
import { modeIn } from './mode.js';
import { wholeToolCalls } from './tool-calls.js';
import { usageOf } from './usage.js';

/** Reads an answer in one piece from its JSON. Throws `UpstreamFailure` `malformed` for anything else. */
export function readAnswer(
  answer: unknown,
  rules: AnswerRules = ANY_HOST,
  ids: AnswerCallIds = new AnswerCallIds(),
): NormalizedAnswer {
  if (!isObject(answer) || !Array.isArray(answer.choices)) throw malformed();
  const members = membersOf(answer);
  const mode = modeIn(answer);
  return {
    choices: choicesByIndex(boundedElements(answer.choices, MAX_CHOICES)).map((choice, index) =>
      readChoice(choice, index, rules, ids),
    ),
    usage: usageOf(answer, rules) ?? {},
    systemFingerprint: textOf(answer.system_fingerprint) ?? null,
    ...(members !== undefined && { members }),
    ...(mode !== undefined && { mode }),
  };
}

function readChoice(choice: unknown, index: number, rules: AnswerRules, ids: AnswerCallIds): AnswerChoice {
  const { message = textMessage(members(choice)), finish_reason, logprobs } = members(choice);
  if (!isObject(message)) throw malformed();
  const native = nativeReasonIn(finish_reason);
  const hasCalls = elements(message.tool_calls).length > 0 || isObject(message.function_call);
  return {
    index,
    message: readMessage(message, rules, ids),
    finish_reason: finishReasonOf(native, rules, hasCalls),
    native_finish_reason: native ?? null,
    logprobs: choiceLogprobs(logprobs) ?? null,
  };
}

function readMessage(message: object, rules: AnswerRules, ids: AnswerCallIds): AssistantMessage {
  const { content, refusal, reasoning, toolCalls, others } = readAssistantOutput(message, rules);
  const calls = wholeToolCalls(toolCalls, ids);
  const details = new CallSignatures().detailsWith(others.reasoning_details, calls, ({ id = '' }) => id);
  return {
    role: 'assistant',
    content: content ?? (toolCalls.length === 0 && refusal === undefined ? '' : null),
    refusal: refusal ?? null,
    ...others,
    ...(reasoning !== undefined && { reasoning }),
    ...(details !== undefined && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}
