/** Each maker's own form: `docs/providers/amazon-bedrock.md#embeddings`. */
import type { BedrockCredential } from '../../../byok/kinds/amazon-bedrock.js';
import type { JsonObject } from '../../../formats/json.js';
import type { UpstreamCall } from '../../../inference/ports/adapter.js';
import type { Outgoing } from '../../http/codec.js';
import { reportLeftOut, textsOf } from '../../vectors/native-calls.js';
import { modelUrl } from '../host/url.js';
import type { EmbeddingModel } from './models.js';

type Call = UpstreamCall<BedrockCredential, 'embeddings'>;

/** Throws as `modelUrl` and `textsOf` do. */
export async function embeddingsRequest(call: Call, model: EmbeddingModel): Promise<Outgoing> {
  const texts = await textsOf(call);
  return { url: modelUrl(call, 'invoke'), headers: {}, body: BODIES[model.maker](call, texts, model) };
}

type Body = (call: Call, texts: readonly unknown[], model: EmbeddingModel) => JsonObject;

const BODIES: Readonly<Record<EmbeddingModel['maker'], Body>> = { amazon: titanBody, cohere: cohereBody };

function titanBody(
  call: Call,
  [inputText]: readonly unknown[],
  { takesDimensions }: EmbeddingModel,
): JsonObject {
  const { dimensions } = call.body;
  reportLeftOut(call, []);
  return { inputText, ...(takesDimensions && isGiven(dimensions) && { dimensions }) };
}

/** Cohere's models demand to be told what embeddings are for: as others do by default, to be found. */
const DEFAULT_TYPE = 'search_document';

/** `truncate` has a default by which nothing is cut, and refuses short texts where that is asked for. */
function cohereBody(call: Call, texts: readonly unknown[], { takesDimensions }: EmbeddingModel): JsonObject {
  const { dimensions, input_type, truncate } = call.body;
  reportLeftOut(call, ['input_type', 'truncate']);
  return {
    texts,
    input_type: input_type ?? DEFAULT_TYPE,
    embedding_types: ['float'],
    ...(takesDimensions && isGiven(dimensions) && { output_dimension: dimensions }),
    ...(isGiven(truncate) && { truncate }),
  };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
