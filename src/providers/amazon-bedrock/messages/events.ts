import type { JsonObject } from '../../../formats/chat/types.js';
import { isObject } from '../../../formats/json.js';
import type { UpstreamEvent } from '../../../inference/ports/adapter.js';
import { throwReported } from '../../anthropic/host/reported.js';
import { NativeReader } from '../../anthropic/messages/events.js';
import { innerAnswerJson } from '../../common/answer-json.js';
import { malformed } from '../../common/failures.js';
import type { FrameReader } from '../host/frames.js';

/** Reads the chunks of a stream, each of which contains an event of the Messages API. */
export class ChunkReader implements FrameReader {
  readonly #events = new NativeReader();

  read(_type: string, { bytes }: JsonObject): readonly UpstreamEvent[] {
    const text = typeof bytes === 'string' ? Buffer.from(bytes, 'base64').toString() : '';
    const event = innerAnswerJson(text);
    if (!isObject(event)) throw malformed();
    throwReported(event);
    return this.#events.read(event, text);
  }
}
