/** The events in Amazon's event streams. */
import type { JsonObject } from '../../../formats/chat/types.js';
import { isObject } from '../../../formats/json.js';
import type { UpstreamEvent } from '../../../inference/ports/adapter.js';
import { answerJson, EVENT_LIMITS, SHORT_BYTES, shortAnswerJson } from '../../common/answer-json.js';
import { malformed, truncated } from '../../common/failures.js';
import type { DecodingWork, EventDecoder } from '../../http/provider-stream.js';
import { exceptionFailure } from './error-response.js';
import { type Frame, FrameSplitter } from './event-stream.js';

/** The media type of event streams. */
export const EVENT_STREAM_TYPE = 'application/vnd.amazon.eventstream';

/** Reads the events of one operation. */
export interface FrameReader {
  read(type: string, event: JsonObject): readonly UpstreamEvent[];
}

/** Reads to the end of the body, since the usage comes last. A stream without a finish event was truncated. */
export class FrameDecoder implements EventDecoder {
  readonly #frames = new FrameSplitter();
  readonly #events: FrameReader;
  readonly isDone = false;

  constructor(events: FrameReader) {
    this.#events = events;
  }

  take(bytes: Buffer, events: UpstreamEvent[]): DecodingWork | undefined {
    this.#frames.push(bytes);
    for (let frame = this.#frames.next(); frame !== undefined; frame = this.#frames.next()) {
      if (frame.payload.length > SHORT_BYTES) return this.#takeInSlices(frame, events);
      this.#read(frame, shortAnswerJson(frame.payload.toString('utf8')), events);
    }
    return undefined;
  }

  *#takeInSlices(first: Frame, events: UpstreamEvent[]): DecodingWork {
    for (let frame: Frame | undefined = first; frame !== undefined; frame = this.#frames.next()) {
      this.#read(frame, yield* answerJson(frame.payload, EVENT_LIMITS), events);
      yield;
    }
  }

  #read(frame: Frame, json: unknown, events: UpstreamEvent[]): void {
    const event = eventIn(frame, json);
    const type = frame.headers.get(':event-type') ?? '';
    for (const read of this.#events.read(type, event)) events.push(read);
  }

  end(): undefined {
    if (this.#frames.isInside) throw truncated();
  }
}

/** The event of a frame with this JSON. Throws an `UpstreamFailure` for a frame that reports an error. */
function eventIn({ headers }: Frame, event: unknown): JsonObject {
  switch (headers.get(':message-type')) {
    case 'exception':
      throw exceptionFailure(headers.get(':exception-type') ?? '', isObject(event) ? event : {});
    case 'error':
      throw exceptionFailure(headers.get(':error-code') ?? '', { message: headers.get(':error-message') });
    default:
      if (!isObject(event)) throw malformed();
      return event;
  }
}
