/** Answers in the Responses format, in terms of a chat. */
import type { AssistantMessage, ChunkDelta, JsonObject, ToolCall } from '../../../formats/chat/types.js';
import { elements, isObject, members, textOf } from '../../../formats/json.js';
import type { NormalizedAnswer } from '../../../inference/ports/adapter.js';
import { boundedElements, MAX_BLOCKS } from '../../common/answer-bounds.js';
import { AnswerCallIds } from '../../common/answer-call-ids.js';
import { malformed, truncated } from '../../common/failures.js';
import { modeIn } from '../chat/mode.js';
import { membersIn } from './answer-members.js';
import { finishReasonIn, nativeReasonOf } from './finish-reason.js';
import { ItemTranslation } from './items.js';
import { providerItems } from './provider-items.js';
import { usageOfResponse } from './usage.js';

/** States of answers that are not there yet, or never will be. */
const UNENDED: ReadonlySet<unknown> = new Set(['queued', 'in_progress', 'cancelled']);

/**
 * Reads an answer in one piece. Throws `UpstreamFailure` `malformed` for anything else, `truncated` for one that has not ended;
 * one that failed is left to the caller.
 */
export function readResponse(
  response: JsonObject,
  ids: AnswerCallIds = new AnswerCallIds(),
): NormalizedAnswer {
  if (!Array.isArray(response.output)) throw malformed();
  if (UNENDED.has(response.status)) throw truncated();
  const reader = new ItemTranslation(ids);
  const deltas: ChunkDelta[] = [];
  const logprobs: unknown[] = [];
  for (const item of boundedElements(response.output, MAX_BLOCKS).map(members)) {
    for (const event of reader.complete(reader.begin(item), item)) {
      if (event.type !== 'delta') continue;
      deltas.push(event.delta);
      logprobs.push(...elements(event.logprobs?.content));
    }
  }
  const told = membersIn(response);
  const mode = modeIn(response);
  return {
    choices: [
      {
        index: 0,
        message: { ...messageOf(deltas), ...providerItems(reader.items) },
        finish_reason: finishReasonIn(response, reader.hasCalls),
        native_finish_reason: nativeReasonOf(response),
        logprobs: logprobs.length === 0 ? null : { content: logprobs, refusal: null },
      },
    ],
    usage: usageOfResponse(response),
    systemFingerprint: null,
    ...(told !== undefined && { members: told }),
    ...(mode !== undefined && { mode }),
  };
}

/** The message that a stream of these deltas makes. */
function messageOf(deltas: readonly ChunkDelta[]): AssistantMessage {
  const content = textIn(deltas, 'content');
  const refusal = textIn(deltas, 'refusal');
  const reasoning = textIn(deltas, 'reasoning');
  const details = joined(listIn(deltas, 'reasoning_details'));
  const annotations = listIn(deltas, 'annotations');
  const images = listIn(deltas, 'images');
  const calls = listIn(deltas, 'tool_calls').map(({ index, ...call }): ToolCall => call);
  const isSilent = calls.length > 0 || refusal !== undefined;
  return {
    role: 'assistant',
    content: content ?? (isSilent ? null : ''),
    refusal: refusal ?? null,
    ...(annotations.length > 0 && { annotations }),
    ...(reasoning !== undefined && { reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(images.length > 0 && { images }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function textIn(deltas: readonly ChunkDelta[], name: string): string | undefined {
  return textOf(deltas.map((delta) => delta[name] ?? '').join(''));
}

function listIn(deltas: readonly ChunkDelta[], name: string): JsonObject[] {
  return deltas.flatMap((delta) => elements(delta[name]).filter(isObject));
}

/** Pieces of the same text of a thought are one detail. */
function joined(details: readonly JsonObject[]): JsonObject[] {
  const whole: JsonObject[] = [];
  for (const detail of details) {
    const last = whole.at(-1);
    const name = detail.type === 'reasoning.text' ? 'text' : 'summary';
    const isSame = last?.index === detail.index && last?.type === detail.type && detail.data === undefined;
    if (isSame) whole[whole.length - 1] = { ...last, [name]: `${last?.[name]}${detail[name]}` };
    else whole.push(detail);
  }
  return whole;
}
