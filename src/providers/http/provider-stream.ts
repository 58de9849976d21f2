import { PushStream, type Sink } from '../../base/push-stream.js';
import type { UpstreamEvent } from '../../inference/attempts/adapter.js';
import { isJson } from '../whole-answer.js';
import type { HttpResponse } from './http.js';
import type { HttpBody } from './http-body.js';
import { discard } from './read-body.js';

/** Turns the bytes of one answer into events. Throws `UpstreamFailure`; the events before it are added by then. */
export interface EventDecoder {
  /** Adds the events that these bytes complete. */
  take(bytes: Buffer, events: UpstreamEvent[]): void;
  /** Adds what the end of the body completes. */
  end(events: UpstreamEvent[]): void;
  /** Whether the provider has said that nothing more comes. */
  readonly isDone: boolean;
}

/** Where a stream comes from. */
export interface StreamSource {
  /** Sends the request; a successful response, its body not yet read. */
  open(): Promise<HttpResponse>;
  readonly decoder: EventDecoder;
  /** The events of an answer that comes in one piece all the same. */
  readWhole(response: HttpResponse): Promise<readonly UpstreamEvent[]>;
  /** Called for all that is read of the network, whether or not it makes an event. */
  readonly onBytes: (() => void) | undefined;
}

/**
 * The streamed answer of a provider: what is read of the network at once is decoded and pushed in the same turn. It ends
 * where the provider says so, or with the body.
 */
export class ProviderStream extends PushStream<UpstreamEvent> implements Sink<Buffer> {
  readonly #source: StreamSource;
  readonly #decoder: EventDecoder;
  #sink: Sink<UpstreamEvent> | undefined;
  #body: HttpBody | undefined;

  constructor(source: StreamSource) {
    super();
    this.#source = source;
    this.#decoder = source.decoder;
  }

  pipeTo(sink: Sink<UpstreamEvent>): void {
    this.#sink = sink;
    this.#read().catch((thrown: unknown) => this.fail(thrown));
  }

  async #read(): Promise<void> {
    const response = await this.#source.open();
    this.#body = response.body;
    if (this.#sink === undefined) response.body.destroy();
    else if (await isJson(response)) {
      const events = await this.#source.readWhole(response);
      this.#sink?.take(events);
      this.#finish()?.end();
    } else response.body.pipeTo(this);
  }

  resume(): void {
    if (this.#sink !== undefined) this.#body?.resume();
  }

  async close(): Promise<void> {
    if (this.#sink === undefined) return;
    this.#sink = undefined;
    this.#body?.destroy();
  }

  take(chunks: readonly Buffer[]): boolean {
    if (this.#sink === undefined) return true;
    this.#source.onBytes?.();
    const events: UpstreamEvent[] = [];
    try {
      for (const chunk of chunks) if (!this.#decoder.isDone) this.#decoder.take(chunk, events);
    } catch (thrown) {
      this.#sink.take(events);
      this.#body?.destroy();
      this.fail(thrown);
      return true;
    }
    const takesMore = events.length === 0 || this.#sink.take(events);
    if (!this.#decoder.isDone) return takesMore;
    if (this.#body !== undefined) discard(this.#body);
    this.#finish()?.end();
    return true;
  }

  end(): void {
    const events: UpstreamEvent[] = [];
    try {
      this.#decoder.end(events);
    } catch (thrown) {
      if (events.length > 0) this.#sink?.take(events);
      this.fail(thrown);
      return;
    }
    if (events.length > 0) this.#sink?.take(events);
    this.#finish()?.end();
  }

  fail(thrown: unknown): void {
    this.#finish()?.fail(thrown);
  }

  /** The sink, if it has not been told of an end. */
  #finish(): Sink<UpstreamEvent> | undefined {
    const sink = this.#sink;
    this.#sink = undefined;
    return sink;
  }
}
