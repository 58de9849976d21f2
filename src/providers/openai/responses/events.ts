/** Streams in the Responses format, in terms of a chat. */
import type { JsonObject } from '../../../formats/chat/types.js';
import { elements, members, textOf } from '../../../formats/json.js';
import { streamedItems, typeBy } from '../../../formats/responses/streamed-items.js';
import type { NormalizedEvent } from '../../../inference/ports/adapter.js';
import { checkCount, MAX_COLLECTED_CHARACTERS } from '../../common/answer-bounds.js';
import { AnswerCallIds } from '../../common/answer-call-ids.js';
import { modeIn } from '../chat/mode.js';
import { membersIn } from './answer-members.js';
import { finishReasonIn, nativeReasonOf } from './finish-reason.js';
import { type GrowingItem, ItemTranslation } from './items.js';
import { charactersIn, providerItems } from './provider-items.js';
import { usageIn } from './usage.js';

/**
 * Translates the events of one stream. Unknown types are skipped. What `error` and `response.failed` report is left to the caller; the latter
 * tells its counts. The finish comes with `response.completed` or `response.incomplete`, so a stream that breaks off earlier
 * has none.
 */
export class EventReader {
  readonly #reader: ItemTranslation;
  /** In the order in which they began. */
  readonly #items: GrowingItem[] = [];
  /** The latest by the host's index or, where it has none, by its id. */
  readonly #known = new Map<unknown, GrowingItem>();
  /** Characters of items that are being written, which are kept in case that the stream breaks off. */
  #growing = 0;
  #isDone = false;

  constructor(ids: AnswerCallIds = new AnswerCallIds()) {
    this.#reader = new ItemTranslation(ids);
  }

  /** Whether the last event has arrived. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Throws `UpstreamFailure` `malformed` for more than a message may have. */
  read(event: JsonObject): readonly NormalizedEvent[] {
    const { type, delta } = event;
    this.#growing += charactersIn(delta) + charactersIn(event.part) + charactersIn(event.annotation);
    checkCount(this.#growing, MAX_COLLECTED_CHARACTERS);
    switch (type) {
      case 'response.output_text.delta':
        return this.#reader.say(this.#itemOf(event), partOf(event), delta, event.logprobs);
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return this.#reader.call(this.#itemOf(event), delta);
      case 'response.reasoning_summary_text.delta':
        return this.#reader.think(this.#itemOf(event), 'summary', partOf(event), delta);
      case 'response.reasoning_text.delta':
      // As the public document of the protocol has it: https://github.com/openresponses/openresponses (2026-11-25).
      case 'response.reasoning.delta':
        return this.#reader.think(this.#itemOf(event), 'text', partOf(event), delta);
      case 'response.refusal.delta':
        return this.#reader.refuse(this.#itemOf(event), partOf(event), delta);
      default:
        return this.#end(event);
    }
  }

  /** Ends of texts tell what no piece has: some hosts send no pieces (https://github.com/BerriAI/litellm/issues/27144). */
  #end(event: JsonObject): readonly NormalizedEvent[] {
    switch (event.type) {
      case 'response.output_text.done':
        return this.#reader.sayRest(this.#itemOf(event), partOf(event), event.text, event.logprobs);
      case 'response.refusal.done':
        return this.#reader.refuseRest(this.#itemOf(event), partOf(event), event.refusal);
      case 'response.reasoning_summary_text.done':
        return this.#reader.thinkRest(this.#itemOf(event), 'summary', partOf(event), event.text);
      case 'response.reasoning_text.done':
      case 'response.reasoning.done':
        return this.#reader.thinkRest(this.#itemOf(event), 'text', partOf(event), event.text);
      case 'response.function_call_arguments.done':
        return this.#reader.callRest(this.#itemOf(event), event.arguments);
      case 'response.custom_tool_call_input.done':
        return this.#reader.callRest(this.#itemOf(event), event.input);
      default:
        return this.#lifecycle(event);
    }
  }

  #lifecycle(event: JsonObject): readonly NormalizedEvent[] {
    const { type } = event;
    switch (type) {
      case 'response.output_item.added':
        return this.#reader.open(this.#begin(event), members(event.item));
      case 'response.output_item.done': {
        const item = members(event.item);
        return this.#reader.complete(this.#itemOf(event), item);
      }
      case 'response.completed':
      case 'response.incomplete':
        return this.#finish(members(event.response), type === 'response.incomplete');
      case 'response.failed':
        this.#isDone = true;
        return this.#counts(members(event.response), { isLast: true });
      default:
        return [];
    }
  }

  /** Hosts that number items wrongly begin another one with a number that was used. */
  #begin(event: JsonObject): GrowingItem {
    const known = this.#known.get(keyOf(event));
    const id = textOf(members(event.item).id);
    const isSame = known !== undefined && !known.isDone && (known.id === id || known.id === undefined);
    return isSame ? known : this.#add(event);
  }

  #itemOf(event: JsonObject): GrowingItem {
    return this.#known.get(keyOf(event)) ?? this.#add(event);
  }

  #add(event: JsonObject): GrowingItem {
    const { id = event.item_id, type = typeBy(event.type) } = members(event.item);
    const item = this.#reader.begin({ id, type });
    this.#items.push(item);
    this.#known.set(keyOf(event), item);
    return item;
  }

  /**
   * What no event before has told is told by the whole response. Some gateways end every response with `response.completed`,
   * and tell by its status alone that it is cut (https://github.com/BerriAI/litellm/pull/39069, 2026-11-26).
   */
  #finish(given: JsonObject, isCut: boolean): NormalizedEvent[] {
    this.#isDone = true;
    const isIncomplete = isCut || given.status === 'incomplete';
    const response: JsonObject = { ...given, status: isIncomplete ? 'incomplete' : 'completed' };
    const output = elements(response.output).map(members);
    const streamed = streamedItems(this.#items, output);
    const late = output.flatMap((item, at) =>
      this.#reader.complete(streamed[at] ?? this.#reader.begin(item), item),
    );
    const native = providerItems(this.#reader.items);
    const reason = finishReasonIn(response, this.#reader.hasCalls);
    return [
      ...late,
      ...('provider_blocks' in native ? [{ type: 'delta', index: 0, delta: native } as const] : []),
      ...this.#counts(response),
      { type: 'finish', index: 0, reason, nativeReason: nativeReasonOf(response) },
    ];
  }

  /** The tier that served is only known now: earlier events have what was asked for. */
  #counts(response: JsonObject, more: { readonly isLast?: true } = {}): NormalizedEvent[] {
    const told = membersIn(response);
    const mode = modeIn(response);
    const usage = usageIn(response, this.#reader.items);
    return [
      ...(told === undefined ? [] : [{ type: 'members', members: told } as const]),
      ...(mode === undefined ? [] : [{ type: 'mode', mode } as const]),
      ...(usage === undefined ? [] : [{ type: 'usage', usage, ...more } as const]),
    ];
  }
}

function keyOf({ output_index, item_id, item }: JsonObject): unknown {
  return typeof output_index === 'number' ? output_index : (item_id ?? members(item).id);
}

function partOf({ content_index, summary_index }: JsonObject): number {
  const index = content_index ?? summary_index;
  return typeof index === 'number' ? index : 0;
}
