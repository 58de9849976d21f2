import type { ChunkDelta, JsonObject, ToolCall } from '../../../formats/chat/types.js';
import { isObject, members, textOf } from '../../../formats/json.js';
import type { UpstreamEvent } from '../../../inference/ports/adapter.js';
import { encryptedDetail, ThoughtPositions, textDetail } from '../../anthropic/chat/reasoning-details.js';
import { checkCount, MAX_CALLS } from '../../common/answer-bounds.js';
import { AnswerCallIds } from '../../common/answer-call-ids.js';
import { hasDetails, isCallersOwn } from './answer.js';
import { annotationsOf, membersOf, modeIn } from './answer-members.js';
import { finishReasonOf } from './finish-reason.js';
import type { BedrockModel } from './model.js';
import { usageOf } from './usage.js';

interface Call {
  readonly index: number;
  hasArguments: boolean;
}

/** Translates the events of one streamed answer; unknown types are skipped. */
export class EventReader {
  readonly #model: BedrockModel;
  /** By content block index. */
  readonly #calls = new Map<unknown, Call>();
  readonly #positions = new ThoughtPositions();
  readonly #ids: AnswerCallIds;
  /** Characters of all texts so far. */
  #said = 0;

  constructor(model: BedrockModel, ids: AnswerCallIds = new AnswerCallIds()) {
    this.#model = model;
    this.#ids = ids;
  }

  /** Throws `UpstreamFailure` `malformed` for more than an answer may have. */
  read(type: string, event: JsonObject): UpstreamEvent[] {
    const block = event.contentBlockIndex;
    switch (type) {
      case 'contentBlockStart':
        return deltas(this.#begin(block, members(event.start)));
      case 'contentBlockDelta':
        return deltas(this.#add(block, members(event.delta)));
      case 'contentBlockStop':
        return deltas(this.#complete(block));
      case 'messageStop':
        return [
          ...modeEvents(event),
          ...memberEvents(event),
          ...this.#finish(textOf(event.stopReason) ?? null),
        ];
      case 'metadata': {
        const usage = usageOf(event.usage);
        return [
          ...modeEvents(event),
          ...memberEvents(event),
          ...(usage === undefined ? [] : [{ type: 'usage', usage } as const]),
        ];
      }
      default:
        return [];
    }
  }

  /** Only tool calls have content in their start event. */
  #begin(block: unknown, { toolUse }: JsonObject): ChunkDelta {
    if (!isObject(toolUse) || !isCallersOwn(toolUse)) return {};
    checkCount(this.#calls.size + 1, MAX_CALLS);
    const call = { index: this.#calls.size, hasArguments: false };
    this.#calls.set(block, call);
    return toolCall({
      index: call.index,
      id: this.#ids.next(textOf(toolUse.toolUseId)),
      type: 'function',
      function: { name: textOf(toolUse.name) ?? '', arguments: '' },
    });
  }

  #add(block: unknown, { text, toolUse, reasoningContent, citation }: JsonObject): ChunkDelta {
    if (isObject(citation)) return { annotations: annotationsOf(citation) };
    const content = textOf(text);
    if (content !== undefined) {
      this.#said += content.length;
      return { content };
    }
    if (isObject(reasoningContent)) return this.#think(block, reasoningContent);
    const call = this.#calls.get(block);
    const piece = textOf(members(toolUse).input);
    if (call === undefined || piece === undefined) return {};
    call.hasArguments = true;
    return toolCall({ index: call.index, function: { arguments: piece } });
  }

  #think(block: unknown, { text, signature, redactedContent }: JsonObject): ChunkDelta {
    const textDelta = textOf(text);
    const signed = textOf(signature);
    const hidden = textOf(redactedContent);
    const reasoning = textDelta === undefined ? {} : { reasoning: textDelta };
    if (!hasDetails(this.#model)) return reasoning;
    const position = { content: this.#said, calls: this.#calls.size };
    const detailOf = (make: (index: number) => JsonObject) => this.#positions.detailOf(block, position, make);
    if (hidden !== undefined) {
      return { reasoning_details: [detailOf((index) => encryptedDetail(index, hidden))] };
    }
    if (textDelta === undefined && signed === undefined) return {};
    const said = {
      ...(textDelta !== undefined && { text: textDelta }),
      ...(signed !== undefined && { signature: signed }),
    };
    return { ...reasoning, reasoning_details: [detailOf((index) => textDetail(index, said))] };
  }

  /** A call without arguments gets `{}`. */
  #complete(block: unknown): ChunkDelta {
    const call = this.#calls.get(block);
    if (call === undefined || call.hasArguments) return {};
    call.hasArguments = true;
    return toolCall({ index: call.index, function: { arguments: '{}' } });
  }

  #finish(nativeReason: string | null): UpstreamEvent[] {
    const pending = [...this.#calls.keys()].flatMap((block) => deltas(this.#complete(block)));
    const reason = finishReasonOf(nativeReason, this.#calls.size > 0);
    return [...pending, { type: 'finish', index: 0, reason, nativeReason }];
  }
}

function modeEvents(event: JsonObject): UpstreamEvent[] {
  const mode = modeIn(event);
  return mode === undefined ? [] : [{ type: 'mode', mode }];
}

function memberEvents(event: JsonObject): UpstreamEvent[] {
  const news = membersOf(event);
  return news === undefined ? [] : [{ type: 'members', members: news }];
}

function deltas(delta: ChunkDelta): UpstreamEvent[] {
  return Object.keys(delta).length === 0 ? [] : [{ type: 'delta', index: 0, delta }];
}

function toolCall(call: ToolCall): ChunkDelta {
  return { tool_calls: [call] };
}
