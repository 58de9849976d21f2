import type { AssistantMessage, JsonObject, ToolCall } from '../../../formats/chat/types.js';
import { isObject, members, textOf } from '../../../formats/json.js';
import type { NormalizedAnswer } from '../../../inference/ports/adapter.js';
import { boundedElements, MAX_BLOCKS } from '../../common/answer-bounds.js';
import { malformed } from '../../common/failures.js';
import { annotationsOf } from './annotations.js';
import { membersOf } from './answer-members.js';
import { finishReasonOf } from './finish-reason.js';
import { providerBlocks } from './provider-blocks.js';
import { encryptedDetail, textDetail } from './reasoning-details.js';
import { UsageCounter } from './usage.js';

/** Reads an answer in one piece from its JSON. Throws `UpstreamFailure` `malformed` for anything else. */
export function readAnswer(answer: unknown): NormalizedAnswer {
  if (!isObject(answer) || !Array.isArray(answer.content)) throw malformed();
  const native = textOf(answer.stop_reason) ?? null;
  const usage = new UsageCounter();
  usage.take(answer.usage);
  const extra = membersOf(answer);
  return {
    choices: [
      {
        index: 0,
        message: readMessage(boundedElements(answer.content, MAX_BLOCKS).map(members), refusalOf(answer)),
        finish_reason: finishReasonOf(native),
        native_finish_reason: native,
        logprobs: null,
      },
    ],
    usage: usage.usage,
    systemFingerprint: null,
    ...(extra !== undefined && { members: extra }),
  };
}

/** The refusal in an answer, or in the last event of a stream. */
export function refusalOf({ stop_details }: JsonObject): string | undefined {
  return textOf(members(stop_details).explanation);
}

/** Blocks of the provider's own tools appear only in `provider_blocks`. */
function readMessage(blocks: readonly JsonObject[], refusal: string | undefined): AssistantMessage {
  const content = joined(blocks, 'text');
  const reasoning = joined(blocks, 'thinking');
  const reasoning_details = blocks.filter(isThought).map(detailOf);
  const annotations = annotationsIn(blocks);
  const tool_calls = blocks.filter(({ type }) => type === 'tool_use').map(toolCallOf);
  return {
    role: 'assistant',
    content: content === '' && tool_calls.length > 0 ? null : content,
    refusal: refusal ?? null,
    ...(annotations.length > 0 && { annotations }),
    ...(reasoning !== '' && { reasoning }),
    ...(reasoning_details.length > 0 && { reasoning_details }),
    ...(tool_calls.length > 0 && { tool_calls }),
    ...providerBlocks(blocks),
  };
}

function annotationsIn(blocks: readonly JsonObject[]): JsonObject[] {
  let start = 0;
  return blocks.flatMap((block) => {
    if (block.type !== 'text') return [];
    const annotations = annotationsOf(block, start);
    start += (textOf(block.text) ?? '').length;
    return annotations;
  });
}

function joined(blocks: readonly JsonObject[], type: 'text' | 'thinking'): string {
  return blocks.map((block) => (block.type === type ? (textOf(block[type]) ?? '') : '')).join('');
}

function isThought({ type }: JsonObject): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

function detailOf({ type, thinking, signature, data }: JsonObject, index: number): JsonObject {
  if (type === 'redacted_thinking') return encryptedDetail(index, textOf(data) ?? '');
  const signed = textOf(signature);
  return textDetail(index, {
    text: textOf(thinking) ?? '',
    ...(signed !== undefined && { signature: signed }),
  });
}

function toolCallOf({ id, name, input }: JsonObject, position: number): ToolCall {
  return {
    id: textOf(id) ?? `call_${position}`,
    type: 'function',
    function: { name: textOf(name) ?? '', arguments: JSON.stringify(input ?? {}) },
  };
}
