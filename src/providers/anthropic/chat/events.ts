import type { ChunkDelta, JsonObject, ToolCall } from '../../../formats/chat/types.js';
import { isObject, members, textOf } from '../../../formats/json.js';
import type { NormalizedEvent } from '../../../inference/ports/adapter.js';
import { checkCount, MAX_BLOCKS, MAX_CALLS } from '../../common/answer-bounds.js';
import { annotationsOf } from './annotations.js';
import { refusalOf } from './answer.js';
import { membersOf } from './answer-members.js';
import { finishReasonOf } from './finish-reason.js';
import { BlockCollector, providerBlocks } from './provider-blocks.js';
import { encryptedDetail, textDetail } from './reasoning-details.js';
import { UsageCounter } from './usage.js';

interface Call {
  readonly index: number;
  /** Some providers send the whole input at the start instead of in pieces. */
  readonly input: unknown;
  hasArguments: boolean;
}

/**
 * Maximum of events after the one with the stop reason. Clients get them with the end. Hosts send only the end, and
 * pings.
 */
const MAX_AFTER_STOP = 1_000;

/**
 * Translates the events of one streamed message. Unknown types are skipped; `error` is left to the caller. The finish
 * event comes with `message_stop`, so a stream that breaks off earlier has none.
 */
export class EventReader {
  readonly #usage = new UsageCounter();
  /** By content block index. */
  readonly #calls = new Map<unknown, Call>();
  /** Positions of thoughts, by content block index. */
  readonly #thoughts = new Map<unknown, number>();
  readonly #blocks = new BlockCollector();
  /** Length of all texts that are complete. */
  #contentLength = 0;
  #stopReason: string | null = null;
  #afterStop = 0;
  #isDone = false;

  /** Whether `message_stop` has arrived. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Throws `UpstreamFailure` `malformed` for more than a message may have. */
  read(event: JsonObject): NormalizedEvent[] {
    if (this.#stopReason !== null) checkCount(++this.#afterStop, MAX_AFTER_STOP);
    switch (event.type) {
      case 'message_start':
        this.#usage.begin(members(event.message).usage);
        return [{ type: 'usage', usage: this.#usage.input }, ...memberEvents(members(event.message))];
      case 'content_block_start':
        this.#blocks.begin(event.index, members(event.content_block));
        return deltas(this.#begin(event.index, members(event.content_block)));
      case 'content_block_delta':
        this.#blocks.add(event.index, members(event.delta));
        return deltas(this.#add(event.index, members(event.delta)));
      case 'content_block_stop':
        return [...deltas(this.#complete(event.index)), ...deltas(this.#annotate(event.index))];
      case 'message_delta':
        return this.#end(event);
      case 'message_stop':
        return this.#finish();
      default:
        return [];
    }
  }

  #begin(block: unknown, { type, text, thinking, signature, data, id, name, input }: JsonObject): ChunkDelta {
    switch (type) {
      case 'text':
        return textDelta(text);
      case 'thinking':
        return this.#think(block, thinking, signature);
      case 'redacted_thinking':
        return { reasoning_details: [encryptedDetail(this.#thoughtOf(block), textOf(data) ?? '')] };
      case 'tool_use': {
        checkCount(this.#calls.size + 1, MAX_CALLS);
        const call: Call = { index: this.#calls.size, input, hasArguments: false };
        this.#calls.set(block, call);
        return toolCall({
          index: call.index,
          id: textOf(id) ?? `call_${call.index}`,
          type: 'function',
          function: { name: textOf(name) ?? '', arguments: '' },
        });
      }
      default:
        return {};
    }
  }

  #add(block: unknown, { type, text, thinking, signature, partial_json }: JsonObject): ChunkDelta {
    switch (type) {
      case 'text_delta':
        return textDelta(text);
      case 'thinking_delta':
        return this.#think(block, thinking, undefined);
      case 'signature_delta':
        return this.#think(block, undefined, signature);
      case 'input_json_delta': {
        const call = this.#calls.get(block);
        const piece = textOf(partial_json);
        if (call === undefined || piece === undefined) return {};
        call.hasArguments = true;
        return toolCall({ index: call.index, function: { arguments: piece } });
      }
      default:
        return {};
    }
  }

  /** A call without argument deltas has the input of its start event, normally `{}`. */
  #complete(block: unknown): ChunkDelta {
    const call = this.#calls.get(block);
    if (call === undefined || call.hasArguments) return {};
    call.hasArguments = true;
    const whole = JSON.stringify(isObject(call.input) ? call.input : {});
    return toolCall({ index: call.index, function: { arguments: whole } });
  }

  #annotate(index: unknown): ChunkDelta {
    const block = this.#blocks.end(index);
    if (block.type !== 'text') return {};
    const annotations = annotationsOf(block, this.#contentLength);
    this.#contentLength += (textOf(block.text) ?? '').length;
    return annotations.length === 0 ? {} : { annotations };
  }

  #think(block: unknown, thinking: unknown, signature: unknown): ChunkDelta {
    const text = textOf(thinking);
    const signed = textOf(signature);
    if (text === undefined && signed === undefined) return {};
    const detail = textDetail(this.#thoughtOf(block), {
      ...(text !== undefined && { text }),
      ...(signed !== undefined && { signature: signed }),
    });
    return { ...(text !== undefined && { reasoning: text }), reasoning_details: [detail] };
  }

  #thoughtOf(block: unknown): number {
    const known = this.#thoughts.get(block) ?? this.#thoughts.size;
    this.#thoughts.set(block, known);
    checkCount(this.#thoughts.size, MAX_BLOCKS);
    return known;
  }

  #end(event: JsonObject): NormalizedEvent[] {
    const delta = members(event.delta);
    this.#stopReason = textOf(delta.stop_reason) ?? this.#stopReason;
    this.#usage.take(event.usage);
    const refusal = refusalOf(delta);
    return [
      ...deltas(refusal === undefined ? {} : { refusal }),
      ...memberEvents(Object.assign({}, delta, { context_management: event.context_management })),
      { type: 'usage', usage: this.#usage.usage },
    ];
  }

  #finish(): NormalizedEvent[] {
    this.#isDone = true;
    const pending = [...this.#calls.keys()].flatMap((block) => deltas(this.#complete(block)));
    const native = deltas(providerBlocks(this.#blocks.blocks));
    const nativeReason = this.#stopReason;
    return [
      ...pending,
      ...native,
      { type: 'finish', index: 0, reason: finishReasonOf(nativeReason), nativeReason },
    ];
  }
}

function memberEvents(message: JsonObject): NormalizedEvent[] {
  const news = membersOf(message);
  return news === undefined ? [] : [{ type: 'members', members: news }];
}

function deltas(delta: ChunkDelta): NormalizedEvent[] {
  return Object.keys(delta).length === 0 ? [] : [{ type: 'delta', index: 0, delta }];
}

function textDelta(text: unknown): ChunkDelta {
  const content = textOf(text);
  return content === undefined ? {} : { content };
}

function toolCall(call: ToolCall): ChunkDelta {
  return { tool_calls: [call] };
}
