import { StringDecoder } from 'node:string_decoder';
import { createParser, type EventSourceParser } from 'eventsource-parser';
import { ByteCollector } from '../../base/memory/byte-collector.js';
import type { JsonObject } from '../../formats/chat/types.js';
import { isObject } from '../../formats/json.js';
import type { UpstreamEvent } from '../../inference/ports/adapter.js';
import { answerJson, EVENT_LIMITS, SHORT_BYTES, shortAnswerJson } from '../common/answer-json.js';
import { malformed } from '../common/failures.js';
import type { DecodingWork, EventDecoder } from './provider-stream.js';

/** The media type of server-sent events. */
export const SSE_TYPE = 'text/event-stream';

/** Maximum length of an event, which may contain an image in base64. */
export const MAX_EVENT_CHARACTERS = 16 * 1024 * 1024;

/** Maximum of lines between two events. Each line of an event takes memory, even if it is empty. */
const MAX_LINES_BETWEEN = 1024 * 1024;

const LINE_END = /[\r\n]/g;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Smaller parts of a line are collected first, since the parser keeps each part that it is given. */
const PART_BYTES = 64 * 1024;

const BYTE_ORDER_MARK = '\uFEFF';

/** Ends a stream in OpenAI's format. */
const DONE = '[DONE]';

/** Reads the data of server-sent events in one provider's format. */
export interface DataReader {
  /**
   * Adds the events in the JSON, which is undefined if the data was not JSON. `isWhole` is false if the body ended
   * before the blank line that ends the event. Throws `UpstreamFailure`.
   */
  read(json: unknown, data: string, isWhole: boolean, events: UpstreamEvent[]): void;
  /** Adds what `[DONE]` tells. Throws `UpstreamFailure`. */
  done?(events: UpstreamEvent[]): void;
  /** Adds what the end of the stream tells. Throws the `UpstreamFailure` of one that may not end so. */
  end?(events: UpstreamEvent[]): void;
  /** Whether nothing more comes. */
  readonly isDone: boolean;
  /** Whether the provider has said that it failed, so that nothing but a last word may come. */
  readonly isFailing?: boolean;
}

/**
 * The event in JSON that was given to a `DataReader`, if there is one. Throws `UpstreamFailure` `malformed` if there
 * had to be one.
 */
export function eventIn(json: unknown, data: string, isWhole: boolean): JsonObject | undefined {
  if (isObject(json)) return json;
  if (isWhole && data !== '') throw malformed();
  return undefined;
}

/**
 * Decodes a stream of server-sent events, however its bytes are chunked. Supports all three line ends, comments, data
 * over several lines, a byte order mark, and a last event without its blank line. It ends with `[DONE]`, or when its
 * reader says so. An event that is too long or has too many lines is `malformed`.
 */
export class SseDecoder implements EventDecoder {
  readonly #reader: DataReader;
  readonly #parser: EventSourceParser;
  /** Much faster than `TextDecoder`. */
  readonly #text = new StringDecoder('utf8');
  readonly #part = new ByteCollector();
  #data: string[] = [];
  #isFirst = true;
  #isTooLong = false;
  #isDone = false;
  #linesBetween = 0;

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
    return this.#isDone || this.#reader.isDone;
  }

  get isFailing(): boolean {
    return this.#reader.isFailing === true;
  }

  take(bytes: Buffer, events: UpstreamEvent[]): DecodingWork | undefined {
    const text = this.#textOf(bytes);
    if (text === '') return undefined;
    this.#feed(text);
    if (this.#isTooLong) throw malformed();
    if (this.#data.length > 0) this.#linesBetween = 0;
    else this.#countLines(text);
    return this.#read(true, events);
  }

  end(events: UpstreamEvent[]): DecodingWork | undefined {
    this.#feed(`${this.#text.write(this.#part.take())}${this.#text.end()}\n\n`);
    const work = this.#read(false, events);
    if (work !== undefined) return this.#endAfter(work, events);
    this.#reader.end?.(events);
    return undefined;
  }

  *#endAfter(work: DecodingWork, events: UpstreamEvent[]): DecodingWork {
    yield* work;
    this.#reader.end?.(events);
  }

  /** The text of these bytes, after those that were collected before; empty while they are a small part of a line. */
  #textOf(bytes: Buffer): string {
    const hasLineEnd = bytes.includes(LINE_FEED) || bytes.includes(CARRIAGE_RETURN);
    if (hasLineEnd && this.#part.length === 0) return this.#text.write(bytes);
    this.#part.add(bytes);
    return hasLineEnd || this.#part.length >= PART_BYTES ? this.#text.write(this.#part.take()) : '';
  }

  #feed(text: string): void {
    this.#parser.feed(this.#isFirst && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
    this.#isFirst = false;
  }

  #countLines(text: string): void {
    this.#linesBetween += text.match(LINE_END)?.length ?? 0;
    if (this.#linesBetween > MAX_LINES_BETWEEN) throw malformed();
  }

  /** Parses short data at once. */
  #read(isWhole: boolean, events: UpstreamEvent[]): DecodingWork | undefined {
    const read = this.#data;
    this.#data = [];
    for (const [position, data] of read.entries()) {
      if (this.isDone) return undefined;
      if (data.length > SHORT_BYTES) return this.#readInSlices(read.slice(position), isWhole, events);
      if (!this.#ends(data, events)) this.#reader.read(shortAnswerJson(data), data, isWhole, events);
    }
    return undefined;
  }

  *#readInSlices(read: readonly string[], isWhole: boolean, events: UpstreamEvent[]): DecodingWork {
    for (const data of read) {
      if (this.isDone) return;
      if (this.#ends(data, events)) continue;
      const json = yield* answerJson(Buffer.from(data), EVENT_LIMITS);
      this.#reader.read(json, data, isWhole, events);
      yield;
    }
  }

  #ends(data: string, events: UpstreamEvent[]): boolean {
    if (data.trim() !== DONE) return false;
    this.#isDone = true;
    this.#reader.done?.(events);
    this.#reader.end?.(events);
    return true;
  }
}
