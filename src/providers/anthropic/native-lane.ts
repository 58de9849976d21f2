/** Requests that were sent in the Messages format, at endpoints that speak it. */
import { JsonText } from '../../base/json/json-text.js';
import type { JsonObject } from '../../formats/chat/types.js';
import type { NativeEvent } from '../../inference/attempts/adapter.js';
import { EventReader } from './events.js';

/** The body as it was sent, but for the model's name at the provider and whether the answer is streamed. */
export function nativeBody(body: JsonObject, model: string, isStreamed: boolean): JsonObject {
  return { ...body, model, ...((isStreamed || body.stream !== undefined) && { stream: isStreamed }) };
}

/** The body for hosts that name the model in the URL, and the version of the API in the body. */
export function hostedBody(body: JsonObject, anthropic_version: string): JsonObject {
  const { model, stream, ...rest } = body;
  return { ...rest, anthropic_version };
}

/** Reads the events of a streamed message, each with what it tells in terms of a chat. */
export class NativeReader {
  readonly #events = new EventReader();

  get isDone(): boolean {
    return this.#events.isDone;
  }

  /** `text` is the JSON of the event. */
  read(event: JsonObject, text: string): NativeEvent {
    const isLine = !text.includes('\n');
    return {
      type: 'native',
      event: isLine ? new JsonText(text, event) : JsonText.of(event),
      told: this.#events.read(event),
    };
  }
}
