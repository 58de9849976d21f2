import { exactJson } from '../../../base/json/json-body.js';
import type { ChunkDelta, JsonObject, ToolCall } from '../../../formats/chat/types.js';
import { isObject, members, textOf } from '../../../formats/json.js';
import { givenIn } from '../../../formats/modes/served-mode.js';
import type { NormalizedEvent } from '../../../inference/ports/adapter.js';
import { checkCount, MAX_CALLS } from '../../common/answer-bounds.js';
import { AnswerCallIds } from '../../common/answer-call-ids.js';
import { annotationsOf } from './annotations.js';
import { refusalOf } from './answer.js';
import { membersOf } from './answer-members.js';
import { finishReasonOf } from './finish-reason.js';
import { BlockCollector, providerBlocks } from './provider-blocks.js';
import { encryptedDetail, ThoughtPositions, textDetail } from './reasoning-details.js';
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
  readonly #positions = new ThoughtPositions();
  readonly #blocks = new BlockCollector();
  readonly #ids: AnswerCallIds;
  /** Length of all texts that are complete. */
  #contentLength = 0;
  /** Of all texts so far. */
  #said = 0;
  #stopReason: string | null = null;
  #afterStop = 0;
  #isDone = false;

  constructor(ids: AnswerCallIds = new AnswerCallIds()) {
    this.#ids = ids;
  }

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
        return [
          { type: 'usage', usage: this.#usage.input },
          ...modeEvents(members(event.message).usage),
          ...memberEvents(members(event.message)),
        ];
      case 'content_block_start': {
        const block = this.#identified(members(event.content_block));
        this.#blocks.begin(event.index, block);
        return deltas(this.#begin(event.index, block));
      }
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

  /** A call has an id of its own, in `provider_blocks` too: its result names it. */
  #identified(block: JsonObject): JsonObject {
    return block.type === 'tool_use' ? { ...block, id: this.#ids.next(textOf(block.id)) } : block;
  }

  #begin(block: unknown, { type, text, thinking, signature, data, id, name, input }: JsonObject): ChunkDelta {
    switch (type) {
      case 'text':
        return this.#say(text);
      case 'thinking':
        return this.#think(block, thinking, signature);
      case 'redacted_thinking':
        return {
          reasoning_details: [this.#detail(block, (index) => encryptedDetail(index, textOf(data) ?? ''))],
        };
      case 'tool_use': {
        checkCount(this.#calls.size + 1, MAX_CALLS);
        const call: Call = { index: this.#calls.size, input, hasArguments: false };
        this.#calls.set(block, call);
        return toolCall({
          index: call.index,
          id: String(id),
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
        return this.#say(text);
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
    const whole = exactJson(isObject(call.input) ? call.input : {});
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
    const content = {
      ...(text !== undefined && { text }),
      ...(signed !== undefined && { signature: signed }),
    };
    const detail = this.#detail(block, (index) => textDetail(index, content));
    return { ...(text !== undefined && { reasoning: text }), reasoning_details: [detail] };
  }

  #detail(block: unknown, make: (index: number) => JsonObject): JsonObject {
    return this.#positions.detailOf(block, { content: this.#said, calls: this.#calls.size }, make);
  }

  #say(text: unknown): ChunkDelta {
    const content = textOf(text);
    if (content === undefined) return {};
    this.#said += content.length;
    return { content };
  }

  #end(event: JsonObject): NormalizedEvent[] {
    const delta = members(event.delta);
    this.#stopReason = textOf(delta.stop_reason) ?? this.#stopReason;
    this.#usage.take(event.usage);
    const refusal = refusalOf(delta);
    return [
      ...deltas(refusal === undefined ? {} : { refusal }),
      ...memberEvents(Object.assign({}, delta, { context_management: event.context_management })),
      ...modeEvents(event.usage),
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
      { type: 'finish', index: 0, reason: finishReasonOf(nativeReason, this.#calls.size > 0), nativeReason },
    ];
  }
}

function modeEvents(usage: unknown): NormalizedEvent[] {
  const mode = givenIn(members(usage));
  return mode === undefined ? [] : [{ type: 'mode', mode }];
}

function memberEvents(message: JsonObject): NormalizedEvent[] {
  const news = membersOf(message);
  return news === undefined ? [] : [{ type: 'members', members: news }];
}

function deltas(delta: ChunkDelta): NormalizedEvent[] {
  return Object.keys(delta).length === 0 ? [] : [{ type: 'delta', index: 0, delta }];
}

function toolCall(call: ToolCall): ChunkDelta {
  return { tool_calls: [call] };
}
