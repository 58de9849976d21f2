/** The order of documents in an answer, whichever host it is of: `docs/rerank.md#answers`. */
import { elements, type JsonObject, members } from '../../formats/json.js';
import { wantedOf } from '../../formats/rerank/documents.js';
import type { RankedDocument } from '../../formats/rerank/types.js';
import type { UpstreamAnswer, UpstreamUsage } from '../../inference/ports/adapter.js';
import { malformed } from '../common/failures.js';
import { asGiven } from '../http/codec.js';
import { MAX_MEDIA_ANSWER_BYTES } from '../http/exchange.js';
import { countsOnly, UNSTREAMED } from '../http/unstreamed.js';

/**
 * The results of an answer to the request, the most relevant first, and of more than it wants the best. Throws
 * `UpstreamFailure` `malformed` where there are fewer, or one is none, is of no document, or is there twice.
 */
export function rankingIn(results: unknown, request: JsonObject): readonly RankedDocument[] {
  const ranking = elements(results).map((one): RankedDocument => {
    const { index, score, relevance_score = score } = members(one);
    if (typeof index !== 'number' || typeof relevance_score !== 'number') throw malformed();
    return { index, score: relevance_score };
  });
  const { length } = elements(request.documents);
  const wanted = wantedOf(request);
  const isValid = ({ index, score }: RankedDocument) =>
    Number.isInteger(index) && index >= 0 && index < length && Number.isFinite(score);
  const documents = new Set(ranking.map(({ index }) => index));
  if (ranking.length < wanted || documents.size !== ranking.length || !ranking.every(isValid))
    throw malformed();
  return ranking.toSorted((one, other) => other.score - one.score).slice(0, wanted);
}

/** An answer with this order. */
export function rerankedAnswer(
  ranking: readonly RankedDocument[],
  usage: UpstreamUsage,
): UpstreamAnswer<'rerank'> {
  return {
    format: 'rerank',
    native: {},
    ranking,
    normalized: countsOnly(usage),
  };
}

/** What codecs of rerankings have in common. */
export const RERANK_COMMONS = {
  ...UNSTREAMED,
  // Some hosts repeat the documents.
  maxAnswerBytes: MAX_MEDIA_ANSWER_BYTES,
  fit: asGiven,
};
