/** InvokeModel with models of embeddings: https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.md. */
import { COHERE_V3, COHERE_V4, TITAN_1, TITAN_2 } from '../../strict/embeddings/bedrock.js';
import { type EmbeddingsHost, embeddingsRefusal } from '../../strict/embeddings/rule.js';
import { list } from '../../strict/native/values.js';
import { vectorOfInput } from '../fake-embedding-host.js';

type Body = Readonly<Record<string, unknown>>;

/** A profile's ARN says nothing of its model. */
export const EMBEDDINGS_PROFILE =
  'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/fake4embeddings';

const HOSTS: readonly (readonly [RegExp, EmbeddingsHost, dimensions: number])[] = [
  [/titan-embed-text-v1/, TITAN_1, 1536],
  [/titan-embed-text-v2/, TITAN_2, 1024],
  [/embed-(?:english|multilingual)-v3/, COHERE_V3, 1024],
  [/embed-v4|fake4embeddings$/, COHERE_V4, 1536],
];

/** A model of embeddings as it answers; undefined for any other model. A character is a token. */
export function embeddingModelAt(modelId: string) {
  const [, host, native] = HOSTS.find(([pattern]) => pattern.test(modelId)) ?? [];
  if (host === undefined || native === undefined) return undefined;
  return {
    violation: (body: Body) => embeddingsRefusal(host, body),
    answer: (body: Body) => answerTo(body, native),
    /** Counted for every call: https://github.com/vercel/ai/pull/15973 (2026-11-26). */
    headers: (body: Body) => ({
      'x-amzn-bedrock-input-token-count': String(textsIn(body).join('').length),
    }),
  };
}

function answerTo(body: Body, native: number): object {
  const dimensions = Number(body.dimensions ?? body.output_dimension ?? native);
  const vectors = textsIn(body).map((text) => vectorOfInput(text, dimensions));
  if (body.inputText !== undefined) {
    const count = String(body.inputText).length;
    return { embedding: vectors[0], inputTextTokenCount: count, embeddingsByType: { float: vectors[0] } };
  }
  const isByType = body.embedding_types !== undefined;
  return {
    id: 'fake-embeddings',
    response_type: isByType ? 'embeddings_by_type' : 'embeddings_floats',
    texts: body.texts,
    embeddings: isByType ? { float: vectors } : vectors,
  };
}

function textsIn({ inputText, texts }: Body): readonly unknown[] {
  return inputText === undefined ? list(texts) : [inputText];
}
