import type { UpstreamEvent } from '../../../inference/ports/adapter.js';
import type { AnswerCallIds } from '../../common/answer-call-ids.js';
import { type DataReader, eventIn } from '../../http/sse.js';
import { EventReader } from '../responses/events.js';
import { throwReportedEvent } from '../responses/reported.js';

/** Reads the events of a response as those of a chat. A stream without a finish event was truncated. */
export class ResponsesDataReader implements DataReader {
  readonly #events: EventReader;

  constructor(ids: AnswerCallIds) {
    this.#events = new EventReader(ids);
  }

  get isDone(): boolean {
    return this.#events.isDone;
  }

  read(json: unknown, data: string, isWhole: boolean, events: UpstreamEvent[]): void {
    const event = eventIn(json, data, isWhole);
    if (event === undefined) return;
    throwReportedEvent(event);
    for (const read of this.#events.read(event)) events.push(read);
  }
}
