import type { JsonObject } from '../../../formats/chat/types.js';
import { NativeReader } from '../../anthropic/messages/events.js';
import type { EventReader } from '../host/answers.js';

/** The events of the Messages API as they came. */
export class NativeEvents implements EventReader {
  readonly #events = new NativeReader();

  get isDone(): boolean {
    return this.#events.isDone;
  }

  read(event: JsonObject, text: string) {
    return [this.#events.read(event, text)];
  }
}
