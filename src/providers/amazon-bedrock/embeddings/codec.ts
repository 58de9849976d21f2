/** Embeddings of Amazon's and Cohere's models, through the operation InvokeModel. */
import type { BedrockCredential } from '../../../byok/kinds/amazon-bedrock.js';
import type { UpstreamCall } from '../../../inference/ports/adapter.js';
import { asGiven, type Codec } from '../../http/codec.js';
import { ONE_ANSWER } from '../../vectors/codec.js';
import { unknownModel } from '../../vectors/native-calls.js';
import { callsInParts } from '../../vectors/parts.js';
import { refusedFailure } from '../host/refused.js';
import { readInvokeAnswer } from './answer.js';
import { type EmbeddingModel, embeddingModel } from './models.js';
import { embeddingsRequest } from './request.js';

export const INVOKE_CODEC: Codec<BedrockCredential, 'embeddings'> = {
  ...ONE_ANSWER,
  parts: callsInParts((call) => modelOf(call).limits),
  fit: asGiven,
  request: (call) => embeddingsRequest(call, modelOf(call)),
  answer: readInvokeAnswer,
  failure: refusedFailure,
};

function modelOf(call: UpstreamCall<BedrockCredential, 'embeddings'>): EmbeddingModel {
  const model = embeddingModel(call.endpoint);
  if (model === undefined) throw unknownModel(call);
  return model;
}
