/** Text completions, passed as they came, at any host that takes them over HTTP as OpenAI does. */
import { exactJson } from '../../../base/json/json-body.js';
import { isObject } from '../../../formats/json.js';
import type { UpstreamCall, UpstreamEvent } from '../../../inference/ports/adapter.js';
import { asGiven, type Codec } from '../../http/codec.js';
import { MAX_TEXT_ANSWER_BYTES } from '../../http/exchange.js';
import { type DataReader, eventIn, SSE_TYPE, SseDecoder } from '../../http/sse.js';
import { throwReported } from '../chat/reported.js';
import { responseFailure } from '../host/error-response.js';
import { nativeAnswer } from './answer.js';
import { CompletionReader } from './events.js';
import { completionRequest, hostRulesOf } from './request.js';

type Call = UpstreamCall<unknown, 'completions'>;

export function completionsCodec<Credential>(): Codec<Credential, 'completions'> {
  const readerOf = (call: Call) => new CompletionReader(call.body, hostRulesOf(call).answers);
  return {
    maxAnswerBytes: MAX_TEXT_ANSWER_BYTES,
    streamType: SSE_TYPE,
    fit: asGiven,
    request: completionRequest,
    answer(json, call) {
      if (isObject(json)) throwReported(json);
      return nativeAnswer(json, call.body, hostRulesOf(call).answers);
    },
    wholeEvents(json, call) {
      if (isObject(json)) throwReported(json);
      const { native } = nativeAnswer(json, call.body, hostRulesOf(call).answers);
      return [readerOf(call).read(native, exactJson(native))];
    },
    decoder: (call) => new SseDecoder(new CompletionDataReader(readerOf(call))),
    failure: (response, { now }) => responseFailure(response, now),
    counter: null,
  };
}

/** A stream without finish events was truncated. */
class CompletionDataReader implements DataReader {
  readonly #chunks: CompletionReader;
  readonly isDone = false;

  constructor(chunks: CompletionReader) {
    this.#chunks = chunks;
  }

  read(json: unknown, data: string, isWhole: boolean, events: UpstreamEvent[]): void {
    const chunk = eventIn(json, data, isWhole);
    if (chunk === undefined) return;
    throwReported(chunk);
    events.push(this.#chunks.read(chunk, data));
  }

  done(events: UpstreamEvent[]): void {
    events.push(...this.#chunks.done());
  }
}
