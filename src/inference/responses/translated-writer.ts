import type { Problem } from '../../base/problem.js';
import type { ChatChunk, Usage } from '../../formats/chat/types.js';
import { streamError } from '../../formats/responses/transport/error.js';
import type { ResponsesEvent } from '../../formats/responses/types.js';
import type { ResponsesEventWriter as EventWriter } from '../../formats/responses/writing/stream-writer.js';
import type { UpstreamEvent } from '../ports/adapter.js';
import type { StreamWriter } from '../ports/answer-format.js';
import type { UpstreamFailure } from '../ports/failure.js';

/** As many as one event may have: the last one has the whole answer. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

interface TranslatedParts {
  readonly chunks: StreamWriter<ChatChunk>;
  readonly events: EventWriter;
  /** Unix seconds. */
  readonly now: () => number;
}

/** Writes the chunks of a chat as events of the Responses format. */
export class TranslatedEventWriter implements StreamWriter<ResponsesEvent> {
  readonly maxCharacters = MAX_CHARACTERS;
  readonly #parts: TranslatedParts;

  constructor(parts: TranslatedParts) {
    this.#parts = parts;
  }

  write(event: UpstreamEvent, events: ResponsesEvent[]): void {
    const chunks: ChatChunk[] = [];
    this.#parts.chunks.write(event, chunks);
    events.push(...this.#eventsOf(chunks));
  }

  get omitted(): readonly string[] {
    return this.#parts.events.unplaced;
  }

  cutOff(): readonly ResponsesEvent[] {
    return this.#eventsOf(this.#parts.chunks.cutOff());
  }

  end(usage: Usage): readonly ResponsesEvent[] {
    return this.#eventsOf(this.#parts.chunks.end(usage));
  }

  fail(problem: Problem, _failure: UpstreamFailure | null, usage: Usage | null): readonly ResponsesEvent[] {
    return this.#parts.events.fail(streamError(problem, problem.retryAfterSeconds), usage);
  }

  #eventsOf(chunks: readonly ChatChunk[]): readonly ResponsesEvent[] {
    const { events, now } = this.#parts;
    return chunks.flatMap((chunk) => events.write(chunk, now));
  }
}
