import { StringDecoder } from 'node:string_decoder';
import { createParser, type EventSourceParser } from 'eventsource-parser';
import type { UpstreamEvent } from '../../inference/attempts/adapter.js';
import { malformed } from './failures.js';
import type { EventDecoder } from './provider-stream.js';

/** Limit of an event: it may hold an image in base64. */
export const MAX_EVENT_CHARACTERS = 16 * 1024 * 1024;

const BYTE_ORDER_MARK = '\uFEFF';

/** Reads the data of server-sent events in one provider's format. */
export interface DataReader {
  /**
   * Adds the events that the data tells of. `isWhole` is false where the body ended before the blank line that ends it.
   * Throws `UpstreamFailure`.
   */
  read(data: string, isWhole: boolean, events: UpstreamEvent[]): void;
  /** Whether nothing more comes. */
  readonly isDone: boolean;
}

/**
 * Decodes a stream of server-sent events, however its bytes are chunked: all three line ends, comments, data over
 * several lines, a byte order mark, a last event without its blank line. An event that is too long is `malformed`.
 */
export class SseDecoder implements EventDecoder {
  readonly #reader: DataReader;
  readonly #parser: EventSourceParser;
  /** Much faster than `TextDecoder`. */
  readonly #text = new StringDecoder('utf8');
  #data: string[] = [];
  #isFirst = true;
  #isTooLong = false;

  constructor(reader: DataReader) {
    this.#reader = reader;
    this.#parser = createParser({
      onEvent: ({ data }) => void this.#data.push(data),
      onError: ({ type }) => {
        this.#isTooLong ||= type === 'max-buffer-size-exceeded';
      },
      maxBufferSize: MAX_EVENT_CHARACTERS,
    });
  }

  get isDone(): boolean {
    return this.#reader.isDone;
  }

  take(bytes: Buffer, events: UpstreamEvent[]): void {
    const text = this.#text.write(bytes);
    if (text === '') return;
    this.#parser.feed(this.#isFirst && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
    this.#isFirst = false;
    if (this.#isTooLong) throw malformed();
    this.#read(true, events);
  }

  end(events: UpstreamEvent[]): void {
    this.#parser.feed(`${this.#text.end()}\n\n`);
    this.#read(false, events);
  }

  #read(isWhole: boolean, events: UpstreamEvent[]): void {
    const read = this.#data;
    this.#data = [];
    for (const data of read) {
      if (this.#reader.isDone) return;
      this.#reader.read(data, isWhole, events);
    }
  }
}
