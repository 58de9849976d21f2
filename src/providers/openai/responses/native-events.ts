/** Streams of requests in the Responses format, at endpoints that speak it. */
import { exactJson } from '../../../base/json/json-body.js';
import { JsonText } from '../../../base/json/json-text.js';
import type { JsonObject } from '../../../formats/chat/types.js';
import type { NativeEvent, UpstreamEvent } from '../../../inference/ports/adapter.js';
import { UpstreamFailure } from '../../../inference/ports/failure.js';
import { type DataReader, eventIn } from '../../http/sse.js';
import { EventReader } from './events.js';
import { throwReportedEvent } from './reported.js';
import { unfolded } from './unfold.js';

/** Reads the events of one stream. */
export function nativeDataReader(): DataReader {
  return new NativeDataReader();
}

/** The events that a stream of this response would have had. */
export function nativeEventsOf(response: JsonObject): NativeEvent[] {
  const reader = new EventReader();
  return unfolded(response).map((event) => nativeEvent(event, exactJson(event), reader));
}

/**
 * Passes events on, each with its meaning in terms of a chat. What reports an error passes too, before its failure: an `error`
 * may be followed by the failed response, which has counts.
 */
class NativeDataReader implements DataReader {
  readonly #events = new EventReader();
  /** Of an `error`, until the stream goes on or ends. */
  #failure: unknown;

  get isDone(): boolean {
    return this.#events.isDone;
  }

  get isFailing(): boolean {
    return this.#failure !== undefined;
  }

  read(json: unknown, data: string, isWhole: boolean, events: UpstreamEvent[]): void {
    const event = eventIn(json, data, isWhole);
    if (event === undefined) return;
    if (this.#failure !== undefined && event.type !== 'response.failed') throw this.#failure;
    if (typeof event.type === 'string') events.push(nativeEvent(event, data, this.#events));
    const failure = failureIn(event);
    if (failure === undefined) return;
    if (event.type !== 'error') throw this.#failure ?? failure;
    this.#failure = failure;
  }

  /** At the end of the stream, however it ends. */
  end(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }
}

function failureIn(event: JsonObject): UpstreamFailure | undefined {
  try {
    throwReportedEvent(event);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof UpstreamFailure) return thrown;
    throw thrown;
  }
}

/** `text` is the JSON of the event. */
function nativeEvent(event: JsonObject, text: string, reader: EventReader): NativeEvent {
  const isLine = !text.includes('\n');
  const passed = isLine ? new JsonText(text, event) : JsonText.of(event);
  return { type: 'native', event: passed, normalized: reader.read(event) };
}
