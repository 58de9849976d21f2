import type { AssistantMessage, JsonObject, ToolCall } from '../../../formats/chat/types.js';
import { elements, isObject, members, textOf } from '../../../formats/json.js';
import type { NormalizedAnswer } from '../../../inference/ports/adapter.js';
import { encryptedDetail, textDetail } from '../../anthropic/chat/reasoning-details.js';
import { boundedElements, MAX_BLOCKS } from '../../common/answer-bounds.js';
import { malformed } from '../../common/failures.js';
import { annotationsOf, membersOf } from './answer-members.js';
import { finishReasonOf } from './finish-reason.js';
import type { BedrockModel } from './model.js';
import { usageOf } from './usage.js';

/** Reads an answer in one piece from its JSON. Throws `UpstreamFailure` `malformed` for anything else. */
export function readAnswer(answer: unknown, model: BedrockModel): NormalizedAnswer {
  if (!isObject(answer)) throw malformed();
  const { content } = members(members(answer.output).message);
  if (!Array.isArray(content)) throw malformed();
  const blocks = boundedElements(content, MAX_BLOCKS).map(members);
  const native = textOf(answer.stopReason) ?? null;
  const extra = membersOf(answer);
  return {
    choices: [
      {
        index: 0,
        message: readMessage(blocks, model),
        finish_reason: finishReasonOf(native),
        native_finish_reason: native,
        logprobs: null,
      },
    ],
    usage: usageOf(answer.usage) ?? {},
    systemFingerprint: null,
    ...(extra !== undefined && { members: extra }),
  };
}

/** Whether the tool is the caller's. The provider runs its own tools itself. */
export function isCallersOwn(toolUse: JsonObject): boolean {
  return toolUse.type !== 'server_tool_use';
}

function readMessage(blocks: readonly JsonObject[], model: BedrockModel): AssistantMessage {
  const content = blocks.map(textIn).join('');
  const thoughts = blocks.flatMap(({ reasoningContent }) =>
    isObject(reasoningContent) ? [reasoningContent] : [],
  );
  const reasoning = thoughts.map(({ reasoningText }) => textOf(members(reasoningText).text) ?? '').join('');
  const calls = blocks.flatMap(({ toolUse }) =>
    isObject(toolUse) && isCallersOwn(toolUse) ? [toolUse] : [],
  );
  const annotations = blocks.flatMap(({ citationsContent }) =>
    elements(members(citationsContent).citations).map(members).flatMap(annotationsOf),
  );
  return {
    role: 'assistant',
    content: content === '' && calls.length > 0 ? null : content,
    refusal: null,
    ...(annotations.length > 0 && { annotations }),
    ...(reasoning !== '' && { reasoning }),
    ...(hasDetails(model) && thoughts.length > 0 && { reasoning_details: thoughts.map(detailOf) }),
    ...(calls.length > 0 && { tool_calls: calls.map(toolCallOf) }),
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

function detailOf({ reasoningText, redactedContent }: JsonObject, index: number): JsonObject {
  if (typeof redactedContent === 'string') return encryptedDetail(index, redactedContent);
  const { text, signature } = members(reasoningText);
  const signed = textOf(signature);
  return textDetail(index, { text: textOf(text) ?? '', ...(signed !== undefined && { signature: signed }) });
}

function toolCallOf({ toolUseId, name, input }: JsonObject, position: number): ToolCall {
  return {
    id: textOf(toolUseId) ?? `call_${position}`,
    type: 'function',
    function: { name: textOf(name) ?? '', arguments: JSON.stringify(input ?? {}) },
  };
}
