/** Chat completions, at OpenAI and hosts that copy it. */
import type { Endpoint } from '../../../catalog/types.js';
import type { JsonObject } from '../../../formats/chat/types.js';
import { isObject } from '../../../formats/json.js';
import type { CallCommons, NormalizedAnswer, UpstreamEvent } from '../../../inference/ports/adapter.js';
import { eventsOf } from '../../common/whole-answer.js';
import type { Codec } from '../../http/codec.js';
import { MAX_MEDIA_ANSWER_BYTES } from '../../http/exchange.js';
import { type DataReader, eventIn, SSE_TYPE, SseDecoder } from '../../http/sse.js';
import { reportedFailure, responseFailure } from '../host/error-response.js';
import { readAnswer } from './answer.js';
import { ChunkReader } from './events.js';

/** A codec whose requests a host makes for itself. */
export function chatCodec<Credential>({
  fit,
  request,
}: Pick<Codec<Credential, 'chat'>, 'fit' | 'request'>): Codec<Credential, 'chat'> {
  return {
    fit,
    maxAnswerBytes: MAX_MEDIA_ANSWER_BYTES,
    streamType: SSE_TYPE,
    request,
    answer: (json, { endpoint }) => ({ format: 'chat', ...answerIn(json, endpoint) }),
    wholeEvents: (json, { endpoint }) => eventsOf(answerIn(json, endpoint)),
    decoder: (call) => new SseDecoder(new ChatDataReader(call)),
    failure: (response, { now }) => responseFailure(response, now),
    counter: null,
  };
}

function answerIn(json: unknown, { quirks }: Endpoint): NormalizedAnswer {
  if (isObject(json)) throwReported(json);
  return readAnswer(json, quirks.usage);
}

/** Reads chunks. A stream without finish events was truncated. */
class ChatDataReader implements DataReader {
  readonly #chunks: ChunkReader;
  readonly isDone = false;

  constructor({ endpoint }: Pick<CallCommons, 'endpoint'>) {
    this.#chunks = new ChunkReader(endpoint.quirks.usage);
  }

  read(json: unknown, data: string, isWhole: boolean, events: UpstreamEvent[]): void {
    const chunk = eventIn(json, data, isWhole);
    if (chunk === undefined) return;
    throwReported(chunk);
    for (const event of this.#chunks.read(chunk)) events.push(event);
  }
}

/** Some providers send the error in place of the chunk, not as a member of it. */
function throwReported(answer: JsonObject): void {
  const error = answer.object === 'error' ? answer : answer.error;
  if (error) throw reportedFailure(error);
}
