/** Finds answers and errors in Vertex AI's responses, in any publisher's format. */

import type { JsonObject } from '../../../formats/chat/types.js';
import { isObject, members } from '../../../formats/json.js';
import type { UpstreamEvent } from '../../../inference/ports/adapter.js';
import { malformed } from '../../common/failures.js';
import type { DataReader } from '../../http/sse.js';
import { reportedFailure } from './error-response.js';
import type { Redact } from './secrets.js';

/** The state of one stream. */
export interface EventReader {
  /** `text` is the JSON of the event. Throws `UpstreamFailure` if the answer broke off. */
  read(event: JsonObject, text: string): Iterable<UpstreamEvent>;
  /** What `[DONE]` says, in formats that end with it. Throws as `read` does. */
  done?(): Iterable<UpstreamEvent>;
  /** Whether the end of the stream was read, in formats that mark the end. */
  readonly isDone?: boolean;
}

/** Reads events until the format says that the stream has ended. A stream without finish events was truncated. */
export class VertexDataReader implements DataReader {
  readonly #events: EventReader;
  readonly #redact: Redact;

  constructor(events: EventReader, redact: Redact) {
    this.#events = events;
    this.#redact = redact;
  }

  get isDone(): boolean {
    return this.#events.isDone === true;
  }

  read(json: unknown, data: string, isWhole: boolean, events: UpstreamEvent[]): void {
    const event = answerIn(json, this.#redact);
    if (isObject(event)) {
      for (const read of this.#events.read(event, data)) events.push(read);
    } else if (isWhole && data !== '') throw malformed();
  }

  done(events: UpstreamEvent[]): void {
    for (const event of this.#events.done?.() ?? []) events.push(event);
  }
}

/** The answer or event in the JSON. Throws the failure that it reports. */
export function answerIn(json: unknown, redact: Redact): unknown {
  // Google wraps some errors in an array.
  const answer = Array.isArray(json) ? json[0] : json;
  throwReported(answer, redact);
  return answer;
}

/** The events of JSON that is an answer in one piece, or a list of all chunks of a stream. */
export function wholeEvents(
  json: unknown,
  redact: Redact,
  eventsOf: (answer: unknown) => readonly UpstreamEvent[],
  reader: () => EventReader,
): readonly UpstreamEvent[] {
  const chunks: readonly unknown[] = Array.isArray(json) ? json : [json];
  for (const chunk of chunks) throwReported(chunk, redact);
  if (chunks.length === 1) return eventsOf(chunks[0]);
  const events = reader();
  return chunks.flatMap((chunk) => [...events.read(members(chunk), JSON.stringify(chunk))]);
}

function throwReported(answer: unknown, redact: Redact): void {
  const { type, error } = members(answer);
  if (type === 'error' || error) throw reportedFailure(members(answer), redact);
}
