/** Embeddings of Google's models, through the method that each has. */
import type { VertexCredential } from '../../../byok/kinds/google-vertex.js';
import type { UpstreamCall } from '../../../inference/ports/adapter.js';
import { asGiven, type Codec } from '../../http/codec.js';
import { ONE_ANSWER } from '../../vectors/codec.js';
import { unknownModel } from '../../vectors/native-calls.js';
import { callsInParts } from '../../vectors/parts.js';
import { answerIn } from '../host/answers.js';
import { responseFailure } from '../host/error-response.js';
import { redactWith } from '../host/secrets.js';
import { readAnswer } from './answer.js';
import { type EmbeddingModel, embeddingModel } from './models.js';
import { embeddingsRequest } from './request.js';

export const EMBEDDINGS_CODEC: Codec<VertexCredential, 'embeddings'> = {
  ...ONE_ANSWER,
  parts: callsInParts((call) => modelOf(call).limits),
  fit: asGiven,
  request: (call) => embeddingsRequest(call, modelOf(call)),
  answer: (json, call) => readAnswer(answerIn(json, redactWith(call.credential)), call, modelOf(call)),
  failure: (response, { call, now }) => responseFailure(response, redactWith(call.credential), now),
};

function modelOf(call: UpstreamCall<VertexCredential, 'embeddings'>): EmbeddingModel {
  const model = embeddingModel(call.endpoint.upstreamModelId);
  if (model === undefined) throw unknownModel(call);
  return model;
}
