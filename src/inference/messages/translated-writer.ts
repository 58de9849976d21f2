import type { Problem } from '../../base/problem.js';
import type { ChatChunk, Usage } from '../../formats/chat/types.js';
import { messagesError } from '../../formats/messages/transport/error.js';
import type { MessagesEvent } from '../../formats/messages/types.js';
import type { MessagesEventWriter as EventWriter } from '../../formats/messages/writing/stream-writer.js';
import type { UpstreamEvent } from '../ports/adapter.js';
import type { StreamWriter } from '../ports/answer-format.js';
import type { StreamUsage } from '../ports/stream-usage.js';

interface TranslatedParts {
  readonly chunks: StreamWriter<ChatChunk>;
  readonly events: EventWriter;
  readonly streamUsage: Pick<StreamUsage, 'usage'>;
  readonly requestId: string;
}

/** Writes the chunks of a chat as events of the Messages format. */
export class TranslatedEventWriter implements StreamWriter<MessagesEvent> {
  readonly #parts: TranslatedParts;

  constructor(parts: TranslatedParts) {
    this.#parts = parts;
  }

  write(event: UpstreamEvent, events: MessagesEvent[]): void {
    const chunks: ChatChunk[] = [];
    this.#parts.chunks.write(event, chunks);
    events.push(...this.#eventsOf(chunks));
  }

  get omitted(): readonly string[] {
    return this.#parts.events.hasForgotten ? ['reasoning'] : [];
  }

  cutOff(): readonly MessagesEvent[] {
    return this.#eventsOf(this.#parts.chunks.cutOff());
  }

  end(usage: Usage): readonly MessagesEvent[] {
    return this.#eventsOf(this.#parts.chunks.end(usage));
  }

  fail(problem: Problem): readonly MessagesEvent[] {
    return [messagesError(problem, this.#parts.requestId).body];
  }

  #eventsOf(chunks: readonly ChatChunk[]): readonly MessagesEvent[] {
    const { events, streamUsage } = this.#parts;
    return chunks.flatMap((chunk) => events.write(chunk, streamUsage.usage.cacheWrite1hTokens));
  }
}
