import { inputsOf } from '../../../formats/embeddings/inputs.js';
import { elements, type JsonObject, members } from '../../../formats/json.js';
import type { UpstreamAnswer, UpstreamCall } from '../../../inference/ports/adapter.js';
import { countOf } from '../../common/counts.js';
import { inOrderOfInputs, numbersIn, ofLengthOne, usageOfAll, vectorsAnswer } from '../../vectors/vectors.js';
import type { EmbeddingModel } from './models.js';

/** Throws `UpstreamFailure` `malformed` for anything else. */
export function readAnswer(
  answer: unknown,
  { body }: UpstreamCall<unknown, 'embeddings'>,
  { method, shortensUnevenly }: EmbeddingModel,
): UpstreamAnswer<'embeddings'> {
  const found = FOUND[method](members(answer));
  const isShortened = shortensUnevenly && typeof body.dimensions === 'number';
  const vectors = found.map(({ values }, index): [number, Float64Array] => {
    const vector = numbersIn(values);
    return [index, isShortened ? ofLengthOne(vector) : vector];
  });
  const counts = found.map(({ count }) => countOf(count));
  return vectorsAnswer(inOrderOfInputs(vectors, inputsOf(body.input).length), usageOfAll(counts));
}

interface Found {
  readonly values: unknown;
  /** Of its tokens. */
  readonly count: unknown;
}

const FOUND: Readonly<Record<EmbeddingModel['method'], (answer: JsonObject) => readonly Found[]>> = {
  predict: ({ predictions }) =>
    elements(predictions).map((one) => {
      const { values, statistics } = members(members(one).embeddings);
      return { values, count: members(statistics).token_count };
    }),
  embedContent: ({ embedding, usageMetadata }) => [
    { values: members(embedding).values, count: members(usageMetadata).promptTokenCount },
  ],
};
