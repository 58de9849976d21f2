import { exactJson } from '../../../base/json/json-body.js';
import type { AssistantMessage, JsonObject, ToolCall } from '../../../formats/chat/types.js';
import { elements, isObject, members, textOf } from '../../../formats/json.js';
import type { NormalizedAnswer } from '../../../inference/ports/adapter.js';
import { encryptedDetail, ThoughtPositions, textDetail } from '../../anthropic/chat/reasoning-details.js';
import { boundedElements, MAX_BLOCKS, MAX_CALLS } from '../../common/answer-bounds.js';
import { AnswerCallIds } from '../../common/answer-call-ids.js';
import { malformed } from '../../common/failures.js';
import { annotationsOf, membersOf, modeIn } from './answer-members.js';
import { finishReasonOf } from './finish-reason.js';
import type { BedrockModel } from './model.js';
import { usageOf } from './usage.js';

/** Reads an answer in one piece from its JSON. Throws `UpstreamFailure` `malformed` for anything else. */
export function readAnswer(
  answer: unknown,
  model: BedrockModel,
  ids: AnswerCallIds = new AnswerCallIds(),
): NormalizedAnswer {
  if (!isObject(answer)) throw malformed();
  const { content } = members(members(answer.output).message);
  if (!Array.isArray(content)) throw malformed();
  const blocks = boundedElements(content, MAX_BLOCKS).map(members);
  const native = textOf(answer.stopReason) ?? null;
  const extra = membersOf(answer);
  const mode = modeIn(answer);
  return {
    choices: [
      {
        index: 0,
        message: readMessage(blocks, model, ids),
        finish_reason: finishReasonOf(native, blocks.some(isCall)),
        native_finish_reason: native,
        logprobs: null,
      },
    ],
    usage: usageOf(answer.usage) ?? {},
    systemFingerprint: null,
    ...(extra !== undefined && { members: extra }),
    ...(mode !== undefined && { mode }),
  };
}

/** Whether the tool is the caller's. The provider runs its own tools itself. */
export function isCallersOwn(toolUse: JsonObject): boolean {
  return toolUse.type !== 'server_tool_use';
}

function isCall({ toolUse }: JsonObject): boolean {
  return isObject(toolUse) && isCallersOwn(toolUse);
}

function readMessage(
  blocks: readonly JsonObject[],
  model: BedrockModel,
  ids: AnswerCallIds,
): AssistantMessage {
  const content = blocks.map(textIn).join('');
  const reasoning = blocks
    .map(({ reasoningContent }) => textOf(members(members(reasoningContent).reasoningText).text) ?? '')
    .join('');
  const details = hasDetails(model) ? detailsIn(blocks) : [];
  const calls = blocks.filter(isCall).map(({ toolUse }) => toolCallOf(members(toolUse), ids));
  boundedElements(calls, MAX_CALLS);
  const annotations = blocks.flatMap(({ citationsContent }) =>
    elements(members(citationsContent).citations).map(members).flatMap(annotationsOf),
  );
  return {
    role: 'assistant',
    content: content === '' && calls.length > 0 ? null : content,
    refusal: null,
    ...(annotations.length > 0 && { annotations }),
    ...(reasoning !== '' && { reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

/** Whether the model needs its thoughts back unchanged. */
export function hasDetails({ family }: BedrockModel): boolean {
  return family === 'claude';
}

/** With citations the text is split into pieces, each with its sources. */
function textIn({ text, citationsContent }: JsonObject): string {
  if (typeof text === 'string') return text;
  return elements(members(citationsContent).content)
    .map((piece) => textOf(members(piece).text) ?? '')
    .join('');
}

/** The thoughts, each with its position among text and calls. */
function detailsIn(blocks: readonly JsonObject[]): JsonObject[] {
  const positions = new ThoughtPositions();
  let content = 0;
  let calls = 0;
  return blocks.flatMap((block, blockIndex) => {
    content += textIn(block).length;
    if (isCall(block)) calls += 1;
    const { reasoningContent } = block;
    if (!isObject(reasoningContent)) return [];
    return [positions.detailOf(blockIndex, { content, calls }, (index) => detailOf(reasoningContent, index))];
  });
}

function detailOf({ reasoningText, redactedContent }: JsonObject, index: number): JsonObject {
  if (typeof redactedContent === 'string') return encryptedDetail(index, redactedContent);
  const { text, signature } = members(reasoningText);
  const signed = textOf(signature);
  return textDetail(index, { text: textOf(text) ?? '', ...(signed !== undefined && { signature: signed }) });
}

function toolCallOf({ toolUseId, name, input }: JsonObject, ids: AnswerCallIds): ToolCall {
  return {
    id: ids.next(textOf(toolUseId)),
    type: 'function',
    function: { name: textOf(name) ?? '', arguments: exactJson(input ?? {}) },
  };
}
