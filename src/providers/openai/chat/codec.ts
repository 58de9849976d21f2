/** Chat completions, at OpenAI and hosts that copy it. */
import { isObject } from '../../../formats/json.js';
import { givenIn } from '../../../formats/modes/served-mode.js';
import type { NormalizedAnswer, UpstreamCall, UpstreamEvent } from '../../../inference/ports/adapter.js';
import { eventsOf } from '../../../inference/ports/whole-answer.js';
import { AnswerCallIds } from '../../common/answer-call-ids.js';
import type { Codec } from '../../http/codec.js';
import { MAX_MEDIA_ANSWER_BYTES } from '../../http/exchange.js';
import { type DataReader, eventIn, SSE_TYPE, SseDecoder } from '../../http/sse.js';
import { responseFailure } from '../host/error-response.js';
import { readAnswer } from './answer.js';
import type { AnswerRules } from './answer-rules.js';
import { ChunkReader } from './events.js';
import { throwReported } from './reported.js';

type Call<Credential> = UpstreamCall<Credential, 'chat'>;

/** What hosts of this format have for themselves. */
type OfHost<Credential> = Pick<Codec<Credential, 'chat'>, 'fit' | 'request'> & {
  answerRulesOf(call: Call<Credential>): AnswerRules;
};

/** A codec whose requests a host makes for itself, and whose answers are read by its rules. */
export function chatCodec<Credential>({
  fit,
  request,
  answerRulesOf,
}: OfHost<Credential>): Codec<Credential, 'chat'> {
  const rulesOf = (call: Call<Credential>): AnswerRules => ({
    ...answerRulesOf(call),
    keepsFunctionCalls: call.body.functions !== undefined,
  });
  const answerIn = (json: unknown, call: Call<Credential>): NormalizedAnswer => {
    if (isObject(json)) throwReported(json);
    return readAnswer(json, rulesOf(call), new AnswerCallIds(call.body.messages));
  };
  return {
    fit,
    maxAnswerBytes: MAX_MEDIA_ANSWER_BYTES,
    streamType: SSE_TYPE,
    request,
    // Gemini's API: https://ai.google.dev/gemini-api/docs/priority-inference
    modeIn: (headers) => givenIn({ service_tier: headers['x-gemini-service-tier'] }),
    answer: (json, call) => ({ format: 'chat', ...answerIn(json, call) }),
    wholeEvents: (json, call) => eventsOf(answerIn(json, call)),
    decoder: (call) =>
      new SseDecoder(
        new ChatDataReader(
          new ChunkReader(rulesOf(call), new AnswerCallIds(call.body.messages), call.body, true),
        ),
      ),
    failure: (response, { now }) => responseFailure(response, now),
    counter: null,
  };
}

/** Reads chunks. A stream without finish events was truncated. */
class ChatDataReader implements DataReader {
  readonly #chunks: ChunkReader;
  readonly isDone = false;

  constructor(chunks: ChunkReader) {
    this.#chunks = chunks;
  }

  read(json: unknown, data: string, isWhole: boolean, events: UpstreamEvent[]): void {
    const chunk = eventIn(json, data, isWhole);
    if (chunk === undefined) return;
    throwReported(chunk);
    for (const event of this.#chunks.read(chunk)) events.push(event);
  }

  done(events: UpstreamEvent[]): void {
    for (const event of this.#chunks.done()) events.push(event);
  }

  end(events: UpstreamEvent[]): void {
    for (const event of this.#chunks.end()) events.push(event);
  }
}
