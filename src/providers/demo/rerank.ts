/** The demo provider's reranking: the more words of the query a document has, the more relevant it is. */
import type { JsonObject } from '../../formats/chat/types.js';
import { documentTexts, wantedOf } from '../../formats/rerank/documents.js';
import type { UpstreamAnswer } from '../../inference/ports/adapter.js';
import { rerankedAnswer } from '../ranking/ranking.js';

/** A score is the share of the query's words that the document has. */
export function demoRerank(body: JsonObject): UpstreamAnswer<'rerank'> {
  const query = wordsOf(String(body.query));
  const asked = new Set(query);
  let promptTokens = 0;
  const ranking = documentTexts(body.documents).map((text, index) => {
    const words = wordsOf(text);
    promptTokens += query.length + words.length;
    const found = new Set(words.filter((word) => asked.has(word)));
    return { index, score: found.size / Math.max(1, asked.size) };
  });
  const ranked = ranking.toSorted((one, other) => other.score - one.score).slice(0, wantedOf(body));
  return rerankedAnswer(ranked, { promptTokens });
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(WORDS) ?? [];
}

const WORDS = /[\p{L}\p{N}]+/gu;
