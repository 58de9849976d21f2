import type { JsonObject } from '../../../formats/chat/types.js';
import type { UpstreamEvent } from '../../../inference/ports/adapter.js';
import { type DataReader, eventIn } from '../../http/sse.js';
import { throwReported } from './reported.js';

/** Translates the events of a streamed message. */
interface MessageEvents {
  readonly isDone: boolean;
  /** `text` is the JSON of the event. */
  read(event: JsonObject, text: string): readonly UpstreamEvent[];
}

/** Reads events up to `message_stop`. A stream without a finish event was truncated. */
export class MessagesDataReader implements DataReader {
  readonly #events: MessageEvents;

  constructor(events: MessageEvents) {
    this.#events = events;
  }

  get isDone(): boolean {
    return this.#events.isDone;
  }

  read(json: unknown, data: string, isWhole: boolean, events: UpstreamEvent[]): void {
    const event = eventIn(json, data, isWhole);
    if (event === undefined) return;
    throwReported(event);
    for (const read of this.#events.read(event, data)) events.push(read);
  }
}
