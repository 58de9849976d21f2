import { exactJson } from '../../../base/json/json-body.js';
import type { AssistantMessage, JsonObject, ToolCall } from '../../../formats/chat/types.js';
import { isObject, members, textOf } from '../../../formats/json.js';
import { givenIn } from '../../../formats/modes/served-mode.js';
import type { NormalizedAnswer } from '../../../inference/ports/adapter.js';
import { boundedElements, MAX_BLOCKS, MAX_CALLS } from '../../common/answer-bounds.js';
import { AnswerCallIds } from '../../common/answer-call-ids.js';
import { malformed } from '../../common/failures.js';
import { annotationsOf } from './annotations.js';
import { membersOf } from './answer-members.js';
import { finishReasonOf } from './finish-reason.js';
import { providerBlocks } from './provider-blocks.js';
import { encryptedDetail, ThoughtPositions, textDetail } from './reasoning-details.js';
import { UsageCounter } from './usage.js';

/** Reads an answer in one piece from its JSON. Throws `UpstreamFailure` `malformed` for anything else. */
export function readAnswer(answer: unknown, ids: AnswerCallIds = new AnswerCallIds()): NormalizedAnswer {
  if (!isObject(answer) || !Array.isArray(answer.content)) throw malformed();
  const native = textOf(answer.stop_reason) ?? null;
  const blocks = boundedElements(answer.content, MAX_BLOCKS).map((block) => identified(members(block), ids));
  const calls = boundedElements(blocks.filter(isCall), MAX_CALLS);
  const usage = new UsageCounter();
  usage.take(answer.usage);
  const extra = membersOf(answer);
  const mode = givenIn(members(answer.usage));
  return {
    choices: [
      {
        index: 0,
        message: readMessage(blocks, refusalOf(answer)),
        finish_reason: finishReasonOf(native, calls.length > 0),
        native_finish_reason: native,
        logprobs: null,
      },
    ],
    usage: usage.usage,
    systemFingerprint: null,
    ...(extra !== undefined && { members: extra }),
    ...(mode !== undefined && { mode }),
  };
}

/** The refusal in an answer, or in the last event of a stream. */
export function refusalOf({ stop_details }: JsonObject): string | undefined {
  return textOf(members(stop_details).explanation);
}

/** A call has an id of its own, in `provider_blocks` too: its result names it. */
function identified(block: JsonObject, ids: AnswerCallIds): JsonObject {
  return isCall(block) ? { ...block, id: ids.next(textOf(block.id)) } : block;
}

function isCall({ type }: JsonObject): boolean {
  return type === 'tool_use';
}

/** Blocks of the provider's own tools appear only in `provider_blocks`. */
function readMessage(blocks: readonly JsonObject[], refusal: string | undefined): AssistantMessage {
  const content = joined(blocks, 'text');
  const reasoning = joined(blocks, 'thinking');
  const reasoning_details = detailsIn(blocks);
  const annotations = annotationsIn(blocks);
  const tool_calls = blocks.filter(isCall).map(toolCallOf);
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

/** The thoughts, each with its position among text and calls. */
function detailsIn(blocks: readonly JsonObject[]): JsonObject[] {
  const positions = new ThoughtPositions();
  let content = 0;
  let calls = 0;
  return blocks.flatMap((block, blockIndex) => {
    if (block.type === 'text') content += (textOf(block.text) ?? '').length;
    if (isCall(block)) calls += 1;
    if (!isThought(block)) return [];
    return [positions.detailOf(blockIndex, { content, calls }, (index) => detailOf(block, index))];
  });
}

function detailOf({ type, thinking, signature, data }: JsonObject, index: number): JsonObject {
  if (type === 'redacted_thinking') return encryptedDetail(index, textOf(data) ?? '');
  const signed = textOf(signature);
  return textDetail(index, {
    text: textOf(thinking) ?? '',
    ...(signed !== undefined && { signature: signed }),
  });
}

function toolCallOf({ id, name, input }: JsonObject): ToolCall {
  return {
    id: String(id),
    type: 'function',
    function: { name: textOf(name) ?? '', arguments: exactJson(input ?? {}) },
  };
}
