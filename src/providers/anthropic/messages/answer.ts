import type { JsonObject } from '../../../formats/chat/types.js';
import type { UpstreamAnswer } from '../../../inference/ports/adapter.js';
import { readAnswer } from '../chat/answer.js';

/** The message as it came, and in terms of a chat. Throws `UpstreamFailure` `malformed` for anything else. */
export function nativeAnswer(message: JsonObject): UpstreamAnswer<'messages'> {
  return { format: 'messages', native: message, normalized: readAnswer(message) };
}
