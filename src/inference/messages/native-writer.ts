import { JsonText } from '../../base/json/json-text.js';
import type { Problem } from '../../base/problem.js';
import type { JsonObject, Usage } from '../../formats/chat/types.js';
import { messagesError } from '../../formats/messages/transport/error.js';
import type { UpstreamEvent } from '../ports/adapter.js';
import type { StreamWriter } from '../ports/answer-format.js';
import { withCost } from '../ports/usage.js';

interface NativeHead {
  readonly id: string;
  readonly model: string;
  readonly requestId: string;
}

/**
 * Passes a provider's events on as they come, except for the message's id and model. From `message_delta` on they wait
 * for the settlement, since their usage includes the cost.
 */
export class NativeEventWriter implements StreamWriter<JsonText> {
  readonly #head: NativeHead;
  readonly #last: JsonText[] = [];
  /** Index of the block that is open. */
  #open: unknown;

  constructor(head: NativeHead) {
    this.#head = head;
  }

  write(event: UpstreamEvent, events: JsonText[]): void {
    if (event.type !== 'native') return;
    const { value } = event.event;
    if (this.#last.length > 0 || value.type === 'message_delta') {
      this.#last.push(event.event);
      return;
    }
    if (value.type === 'content_block_start') this.#open = value.index;
    else if (value.type === 'content_block_stop') this.#open = undefined;
    events.push(value.type === 'message_start' ? this.#started(value) : event.event);
  }

  cutOff(): readonly JsonText[] {
    if (this.#last.length === 0) this.#last.push(JsonText.of(REACHED_MAXIMUM));
    this.#last.push(JsonText.of({ type: 'message_stop' }));
    return this.#open === undefined ? [] : [JsonText.of({ type: 'content_block_stop', index: this.#open })];
  }

  end(usage: Usage): readonly JsonText[] {
    const priced = this.#last.findLastIndex(({ value }) => value.type === 'message_delta');
    return this.#last.map((event, index) =>
      index === priced
        ? JsonText.of({ ...event.value, usage: withCost(event.value.usage ?? countsOf(usage), usage) })
        : event,
    );
  }

  fail(problem: Problem): readonly JsonText[] {
    return [JsonText.of({ ...messagesError(problem, this.#head.requestId).body })];
  }

  #started(event: JsonObject): JsonText {
    const { id, model } = this.#head;
    return JsonText.of({ ...event, message: { ...(event.message as JsonObject), id, model } });
  }
}

const REACHED_MAXIMUM = {
  type: 'message_delta',
  delta: { stop_reason: 'max_tokens', stop_sequence: null },
};

/** The usage of an answer whose provider did not send its own. */
function countsOf({ completion_tokens }: Usage): JsonObject {
  return { output_tokens: completion_tokens };
}
