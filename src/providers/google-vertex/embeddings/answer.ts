import { inputsOf } from '../../../formats/embeddings/inputs.js';
import { elements, members } from '../../../formats/json.js';
import type { UpstreamAnswer, UpstreamCall } from '../../../inference/ports/adapter.js';
import { countOf } from '../../common/counts.js';
import { inOrderOfInputs, numbersIn, ofLengthOne, usageOfAll, vectorsAnswer } from '../../vectors/vectors.js';
import type { EmbeddingModel } from './models.js';

/** Throws `UpstreamFailure` `malformed` for anything else. */
export function readPredictAnswer(
  answer: unknown,
  { body }: UpstreamCall<unknown, 'embeddings'>,
  { shortensUnevenly }: EmbeddingModel,
): UpstreamAnswer<'embeddings'> {
  const found = elements(members(answer).predictions).map((one) => members(members(one).embeddings));
  const isShortened = shortensUnevenly && typeof body.dimensions === 'number';
  const vectors = found.map(({ values }, index): [number, Float64Array] => {
    const vector = numbersIn(values);
    return [index, isShortened ? ofLengthOne(vector) : vector];
  });
  const counts = found.map(({ statistics }) => countOf(members(statistics).token_count));
  return vectorsAnswer(inOrderOfInputs(vectors, inputsOf(body.input).length), usageOfAll(counts));
}
