/** Answers to requests in the Messages format, at endpoints that speak it. */
import { exactJson } from '../../../base/json/json-body.js';
import { JsonText } from '../../../base/json/json-text.js';
import type { JsonObject } from '../../../formats/chat/types.js';
import { elements, members } from '../../../formats/json.js';
import type { NativeEvent } from '../../../inference/ports/adapter.js';
import { EventReader } from '../chat/events.js';

/** The events that a stream of this message would have had. */
export function nativeEventsOf(message: JsonObject): NativeEvent[] {
  const { content, stop_reason, stop_sequence, usage, ...head } = message;
  const reader = new NativeReader();
  const events: JsonObject[] = [
    {
      type: 'message_start',
      message: { ...head, content: [], stop_reason: null, stop_sequence: null, usage },
    },
    ...elements(content).flatMap((block, index) => blockEvents(members(block), index)),
    { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage },
    { type: 'message_stop' },
  ];
  return events.flatMap((event) => reader.read(event, exactJson(event)));
}

/** Clients assemble text, thoughts and input from deltas. Any other block they take from its start event. */
function blockEvents(block: JsonObject, index: number): JsonObject[] {
  const { start, deltas } = unfolded(block);
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

function unfolded(block: JsonObject): { start: JsonObject; deltas: JsonObject[] } {
  const { type, text, thinking, signature, input } = block;
  switch (type) {
    case 'text':
      return { start: { ...block, text: '' }, deltas: [{ type: 'text_delta', text }] };
    case 'thinking':
      return {
        start: { ...block, thinking: '', signature: '' },
        deltas: [
          { type: 'thinking_delta', thinking },
          { type: 'signature_delta', signature },
        ],
      };
    case 'tool_use':
    case 'server_tool_use':
      return {
        start: { ...block, input: {} },
        deltas: [{ type: 'input_json_delta', partial_json: exactJson(input) }],
      };
    default:
      return { start: block, deltas: [] };
  }
}

/** Reads the events of a streamed message, each with its meaning in terms of a chat. */
export class NativeReader {
  readonly #events = new EventReader();

  get isDone(): boolean {
    return this.#events.isDone;
  }

  /** `text` is the JSON of the event. */
  read(event: JsonObject, text: string): readonly [NativeEvent] {
    const isLine = !text.includes('\n');
    const passed = isLine ? new JsonText(text, event) : JsonText.of(event);
    return [{ type: 'native', event: passed, normalized: this.#events.read(event) }];
  }
}
