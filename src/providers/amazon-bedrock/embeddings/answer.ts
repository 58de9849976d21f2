import type { IncomingHttpHeaders } from 'node:http';
import { inputsOf } from '../../../formats/embeddings/inputs.js';
import { elements, members } from '../../../formats/json.js';
import type { UpstreamAnswer, UpstreamCall } from '../../../inference/ports/adapter.js';
import { countOf } from '../../common/counts.js';
import { inOrderOfInputs, numbersIn, usageOfAll, vectorsAnswer } from '../../vectors/vectors.js';

/** An answer of any of the models. Throws `UpstreamFailure` `malformed` for anything else. */
export function readInvokeAnswer(
  json: unknown,
  { body }: UpstreamCall<unknown, 'embeddings'>,
  headers: IncomingHttpHeaders,
): UpstreamAnswer<'embeddings'> {
  const { embedding, embeddings, inputTextTokenCount } = members(json);
  const found = embedding === undefined ? byNumber(embeddings) : [embedding];
  const vectors = found.map((one, index) => [index, numbersIn(one)] as const);
  const count = countOf(inputTextTokenCount) ?? countIn(headers);
  return vectorsAnswer(inOrderOfInputs(vectors, inputsOf(body.input).length), usageOfAll([count]));
}

/** Cohere's are a list, or lists by the type of their numbers. */
function byNumber(embeddings: unknown): readonly unknown[] {
  return Array.isArray(embeddings) ? embeddings : elements(members(embeddings).float);
}

/** Cohere's models count in no other place. */
function countIn({ 'x-amzn-bedrock-input-token-count': count }: IncomingHttpHeaders): number | undefined {
  return typeof count === 'string' && /^\d{1,12}$/.test(count) ? Number(count) : undefined;
}
