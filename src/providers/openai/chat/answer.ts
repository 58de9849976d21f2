import type { UsagePaths } from '../../../catalog/quirks.js';
import { MAX_CHOICES } from '../../../formats/answer-size.js';
import type { AnswerChoice, AssistantMessage } from '../../../formats/chat/types.js';
import { isObject, members, textOf } from '../../../formats/json.js';
import type { NormalizedAnswer } from '../../../inference/ports/adapter.js';
import { boundedElements } from '../../common/answer-bounds.js';
import { malformed } from '../../common/failures.js';
import { membersOf } from './answer-members.js';
import { readAssistantOutput, textMessage } from './assistant-output.js';
import { finishReasonOf } from './finish-reason.js';
import { wholeToolCalls } from './tool-calls.js';
import { usageOf } from './usage.js';

/**
 * Reads an answer in one piece from its JSON. `usagePaths`: where the host has counts in places of its own. Throws
 * `UpstreamFailure` `malformed` for anything else.
 */
export function readAnswer(answer: unknown, usagePaths?: UsagePaths): NormalizedAnswer {
  if (!isObject(answer) || !Array.isArray(answer.choices)) throw malformed();
  const members = membersOf(answer);
  return {
    choices: boundedElements(answer.choices, MAX_CHOICES).map(readChoice),
    usage: usageOf(answer, usagePaths) ?? {},
    systemFingerprint: textOf(answer.system_fingerprint) ?? null,
    ...(members !== undefined && { members }),
  };
}

function readChoice(choice: unknown, position: number): AnswerChoice {
  const { message = textMessage(members(choice)), finish_reason, logprobs } = members(choice);
  if (!isObject(message)) throw malformed();
  const native = textOf(finish_reason) ?? null;
  return {
    index: position,
    message: readMessage(message),
    finish_reason: finishReasonOf(native ?? 'stop'),
    native_finish_reason: native,
    logprobs: isObject(logprobs) ? logprobs : null,
  };
}

function readMessage(message: object): AssistantMessage {
  const { content, refusal, reasoning, toolCalls, others } = readAssistantOutput(message);
  return {
    role: 'assistant',
    content: content ?? (toolCalls.length === 0 && refusal === undefined ? '' : null),
    refusal: refusal ?? null,
    ...others,
    ...(reasoning !== undefined && { reasoning }),
    ...(toolCalls.length > 0 && { tool_calls: wholeToolCalls(toolCalls) }),
  };
}
