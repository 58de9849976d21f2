/** What a reranking may use: a model reads the query with every document, and with every piece of a longer one. */

import type { JsonObject } from '../../formats/json.js';
import { documentTexts } from '../../formats/rerank/documents.js';
import { estimatePromptTokens, type SeparatePrompts } from './prompt-tokens.js';

/**
 * A search is up to 100 documents (https://cohere.com/pricing) or pieces of them
 * (https://docs.aws.amazon.com/bedrock/latest/userguide/rerank-pricing.html). The smallest pieces that any host makes have some 510
 * tokens with the query (https://docs.cohere.com/docs/models); 2026-11-26.
 */
const PIECE_TOKENS = 500;
const PIECES_PER_SEARCH = 100;

/** Such hosts cut the query at 256 tokens (https://docs.cohere.com/v1/docs/reranking-best-practices, 2026-11-26). */
const MIN_DOCUMENT_TOKENS = 250;

export function rerankPrompts({ query, documents }: JsonObject): SeparatePrompts {
  const asked = estimatePromptTokens({ messages: [query] });
  const pieces = { likely: 0, high: 0 };
  let [likely, high] = [0, 0];
  for (const text of documentTexts(documents)) {
    const one = estimatePromptTokens({ messages: [text] });
    const most = piecesOf(one.high, asked.high);
    pieces.likely += piecesOf(one.likely, asked.likely);
    pieces.high += most;
    likely += one.likely + asked.likely;
    high += one.high + most * asked.high;
  }
  const searchUnits = { likely: searchesOf(pieces.likely), high: searchesOf(pieces.high) };
  // A document that is too long is cut, or read in pieces: only the query has to fit.
  return { count: pieces.high, low: asked.low, likely, high, searchUnits };
}

function piecesOf(document: number, query: number): number {
  const room = Math.max(PIECE_TOKENS - query, MIN_DOCUMENT_TOKENS);
  return Math.max(1, Math.ceil(document / room));
}

function searchesOf(pieces: number): number {
  return Math.ceil(pieces / PIECES_PER_SEARCH);
}
