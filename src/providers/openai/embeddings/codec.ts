/** Embeddings at hosts that copy OpenAI's API. */

import type { Endpoint } from '../../../catalog/types.js';
import { encodingOf } from '../../../formats/embeddings/encoding.js';
import { inputsOf } from '../../../formats/embeddings/inputs.js';
import type { Vector } from '../../../formats/embeddings/types.js';
import { elements, isObject, type JsonObject, members } from '../../../formats/json.js';
import type { UpstreamAnswer, UpstreamCall, UpstreamUsage } from '../../../inference/ports/adapter.js';
import { countOf } from '../../common/counts.js';
import { malformed } from '../../common/failures.js';
import { asGiven, type Codec, type Outgoing } from '../../http/codec.js';
import { ONE_ANSWER } from '../../vectors/codec.js';
import { callsInParts } from '../../vectors/parts.js';
import { inOrderOfInputs, numbersIn, ofLengthOne, vectorOf, vectorsAnswer } from '../../vectors/vectors.js';
import { throwReported } from '../chat/reported.js';
import { usageOf } from '../chat/usage.js';
import { responseFailure } from '../host/error-response.js';
import type { EmbeddingsRules } from './hosts.js';

type Call<Credential> = UpstreamCall<Credential, 'embeddings'>;

/** What hosts of this format have for themselves. */
export interface EmbeddingsHost<Credential> {
  request(call: Call<Credential>): Outgoing | Promise<Outgoing>;
  rulesAt(call: Call<Credential>): EmbeddingsRules;
}

export function embeddingsCodec<Credential>({
  request,
  rulesAt,
}: EmbeddingsHost<Credential>): Codec<Credential, 'embeddings'> {
  return {
    ...ONE_ANSWER,
    parts: callsInParts((call) => rulesAt(call).limits),
    fit: asGiven,
    request,
    answer(json, call) {
      if (isObject(json)) throwReported(json);
      return answerIn(json, call, rulesAt(call));
    },
    failure: (response, { now }) => responseFailure(response, now),
  };
}

function answerIn(
  json: unknown,
  { body, endpoint }: Call<unknown>,
  { shortensUnevenly = false }: EmbeddingsRules,
): UpstreamAnswer<'embeddings'> {
  if (!isObject(json) || !Array.isArray(json.data)) throw malformed();
  const { data, ...native } = json;
  const isShortened = shortensUnevenly && typeof body.dimensions === 'number';
  const wanted = encodingOf(body);
  const read = (embedding: unknown): Vector =>
    isShortened ? ofLengthOne(numbersIn(embedding)) : vectorOf(embedding, wanted);
  const found = elements(data).map((one, position): [number, Vector] => {
    const { index, embedding } = members(one);
    return [(index ?? position) as number, read(embedding)];
  });
  return vectorsAnswer(
    inOrderOfInputs(found, inputsOf(body.input).length),
    promptIn(native as JsonObject, endpoint),
    native,
  );
}

/** All that is counted is the prompt: some hosts tell nothing but the total, or a prompt of 0 beside it. */
function promptIn(native: JsonObject, { quirks }: Endpoint): UpstreamUsage {
  const told = usageOf(native, { usage: quirks.usage ?? {}, cachedTokens: quirks.cachedTokens }) ?? {};
  const total = countOf(members(native.usage).total_tokens);
  return told.promptTokens || !total ? told : { ...told, promptTokens: total };
}
