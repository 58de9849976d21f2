import type { Problem } from '../../base/problem.js';
import type { ChatChunk, Usage } from '../../formats/chat/types.js';
import { messagesError } from '../../formats/messages/error.js';
import type { StreamWriter as EventWriter } from '../../formats/messages/stream-writer.js';
import type { MessagesEvent } from '../../formats/messages/types.js';
import type { StreamWriter } from '../answer-format.js';
import type { UpstreamEvent } from '../attempts/adapter.js';

/** Writes the chunks of a chat as events of the Messages format. */
export class TranslatedEventWriter implements StreamWriter<MessagesEvent> {
  readonly #chunks: StreamWriter<ChatChunk>;
  readonly #events: EventWriter;
  readonly #requestId: string;

  constructor(chunks: StreamWriter<ChatChunk>, events: EventWriter, requestId: string) {
    this.#chunks = chunks;
    this.#events = events;
    this.#requestId = requestId;
  }

  write(event: UpstreamEvent, events: MessagesEvent[]): void {
    const chunks: ChatChunk[] = [];
    this.#chunks.write(event, chunks);
    for (const chunk of chunks) events.push(...this.#events.write(chunk));
  }

  cutOff(): readonly MessagesEvent[] {
    return this.#eventsOf(this.#chunks.cutOff());
  }

  end(usage: Usage): readonly MessagesEvent[] {
    return this.#eventsOf(this.#chunks.end(usage));
  }

  fail(problem: Problem): readonly MessagesEvent[] {
    return [messagesError(problem, this.#requestId).body];
  }

  #eventsOf(chunks: readonly ChatChunk[]): readonly MessagesEvent[] {
    return chunks.flatMap((chunk) => this.#events.write(chunk));
  }
}
