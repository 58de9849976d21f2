import { createParser } from 'eventsource-parser';
import { malformed } from './failures.js';

/** Limit of an event: it may hold an image in base64. */
export const MAX_EVENT_CHARACTERS = 16 * 1024 * 1024;

/** An event's data; `isWhole` is false when the stream ended before the blank line that ends it. */
export interface ServerSentEvent {
  readonly data: string;
  readonly isWhole: boolean;
}

/**
 * The events of a stream, however its bytes are chunked: all three line ends, comments, data over several lines, a byte
 * order mark, a last event without its blank line. The next chunk is pulled only after all events of the last one were
 * taken. Throws `UpstreamFailure` `malformed` for an event that is too long.
 */
export async function* readEvents(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const pending: string[] = [];
  let isTooLong = false;
  const parser = createParser({
    onEvent: ({ data }) => void pending.push(data),
    onError: ({ type }) => {
      isTooLong ||= type === 'max-buffer-size-exceeded';
    },
    maxBufferSize: MAX_EVENT_CHARACTERS,
  });
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    if (isTooLong) throw malformed();
    for (const data of pending) yield { data, isWhole: true };
    pending.length = 0;
  }
  parser.feed(`${decoder.decode()}\n\n`);
  for (const data of pending) yield { data, isWhole: false };
}
