import type { AnswerChoice, AssistantMessage, ChunkDelta, ToolCall } from '../../../../formats/chat/types.js';
import { isObject } from '../../../../formats/json.js';
import type { NormalizedAnswer, UpstreamEvent, UpstreamUsage } from '../../../../inference/ports/adapter.js';
import { AnswerCallIds } from '../../../common/answer-call-ids.js';
import { malformed, truncated } from '../../../common/failures.js';
import { GeminiReader } from './events.js';

/**
 * Reads an answer in one piece from its JSON. Throws `UpstreamFailure`: `truncated` if there is no finish reason,
 * `content_filter` if the prompt was refused, `malformed` for anything else.
 */
export function readGeminiAnswer(
  answer: unknown,
  ids: AnswerCallIds = new AnswerCallIds(),
): NormalizedAnswer {
  if (!isObject(answer)) throw malformed();
  const events = new GeminiReader(ids).read(answer);
  const finishes = events.filter((event) => event.type === 'finish');
  if (finishes.length === 0) throw Array.isArray(answer.candidates) ? truncated() : malformed();
  return {
    choices: finishes
      .toSorted((one, other) => one.index - other.index)
      .map((finish) => choiceOf(finish, events)),
    usage: usageIn(events),
    systemFingerprint: null,
    ...saidIn(events),
  };
}

function choiceOf(
  finish: UpstreamEvent & { type: 'finish' },
  events: readonly UpstreamEvent[],
): AnswerChoice {
  const { index, reason, nativeReason } = finish;
  const deltaEvent = events.find((event) => event.type === 'delta' && event.index === index);
  const isDelta = deltaEvent?.type === 'delta';
  return {
    index,
    message: messageOf(isDelta ? deltaEvent.delta : {}),
    finish_reason: reason,
    native_finish_reason: nativeReason,
    logprobs: (isDelta ? deltaEvent.logprobs : undefined) ?? null,
  };
}

function messageOf({ content, reasoning, tool_calls, ...others }: ChunkDelta): AssistantMessage {
  return {
    ...others,
    role: 'assistant',
    content: content ?? (tool_calls === undefined ? '' : null),
    refusal: null,
    ...(reasoning !== undefined && reasoning !== null && { reasoning }),
    ...(tool_calls !== undefined && { tool_calls: tool_calls.map(wholeCall) }),
  };
}

function wholeCall({ index, ...call }: ToolCall): ToolCall {
  return call;
}

function saidIn(events: readonly UpstreamEvent[]): Pick<NormalizedAnswer, 'members' | 'mode'> {
  const told = events.find((event) => event.type === 'mode');
  const news = events.find((event) => event.type === 'members');
  return {
    ...(news?.type === 'members' && { members: news.members }),
    ...(told?.type === 'mode' && { mode: told.mode }),
  };
}

function usageIn(events: readonly UpstreamEvent[]): UpstreamUsage {
  const usage = events.find((event) => event.type === 'usage');
  return usage?.type === 'usage' ? usage.usage : {};
}
