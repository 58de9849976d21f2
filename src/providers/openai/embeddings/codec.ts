/** Embeddings at hosts that copy OpenAI's API. */

import { encodingOf } from '../../../formats/embeddings/encoding.js';
import { inputsOf } from '../../../formats/embeddings/inputs.js';
import { elements, isObject, type JsonObject, members } from '../../../formats/json.js';
import type { UpstreamAnswer, UpstreamCall } from '../../../inference/ports/adapter.js';
import { malformed } from '../../common/failures.js';
import { asGiven, type Codec, type Outgoing } from '../../http/codec.js';
import { callsInParts } from '../../vectors/parts.js';
import {
  inOrderOfInputs,
  MAX_EMBEDDINGS_ANSWER_BYTES,
  vectorOf,
  vectorsAnswer,
} from '../../vectors/vectors.js';
import { throwReported } from '../chat/reported.js';
import { usageOf } from '../chat/usage.js';
import { responseFailure } from '../host/error-response.js';

type Call<Credential> = UpstreamCall<Credential, 'embeddings'>;

/** What hosts of this format have for themselves. */
export interface EmbeddingsHost<Credential> {
  request(call: Call<Credential>): Outgoing | Promise<Outgoing>;
  /** How many inputs it takes in a call. */
  maxInputs(call: Call<Credential>): number;
}

export function embeddingsCodec<Credential>({
  request,
  maxInputs,
}: EmbeddingsHost<Credential>): Codec<Credential, 'embeddings'> {
  return {
    maxAnswerBytes: MAX_EMBEDDINGS_ANSWER_BYTES,
    packsNumbers: true,
    parts: callsInParts(maxInputs),
    streamType: '',
    fit: asGiven,
    request,
    answer(json, call) {
      if (isObject(json)) throwReported(json);
      return answerIn(json, call);
    },
    ...WITHOUT_STREAMS,
    failure: (response, { now }) => responseFailure(response, now),
    counter: null,
  };
}

/** Embeddings come in one piece. */
export const WITHOUT_STREAMS = {
  wholeEvents: neverStreamed,
  decoder: neverStreamed,
};

function neverStreamed(): never {
  throw new Error('embeddings are not streamed');
}

function answerIn(json: unknown, { body }: Call<unknown>): UpstreamAnswer<'embeddings'> {
  if (!isObject(json) || !Array.isArray(json.data)) throw malformed();
  const { data, ...native } = json;
  const wanted = encodingOf(body);
  const found = elements(data).map((one, position): [number, ReturnType<typeof vectorOf>] => {
    const { index = position, embedding } = members(one);
    return [index as number, vectorOf(embedding, wanted)];
  });
  return vectorsAnswer(
    inOrderOfInputs(found, inputsOf(body.input).length),
    usageOf(native as JsonObject) ?? {},
    native,
  );
}
