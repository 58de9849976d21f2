import type { Usage } from '../../formats/chat/types.js';
import type { JsonObject } from '../../formats/json.js';
import type { AnswerFormat } from '../ports/answer-format.js';

/** Answers to a request with these documents, of which each result has the text, whatever the host answers of it. */
export function rerankAnswer(documents: readonly string[]): AnswerFormat<JsonObject, never> {
  return {
    whole({ id, model, attempt }, result, usage) {
      if (result.format !== 'rerank') throw new Error('a reranking was answered as something else');
      const results = result.ranking.map(({ index, score }) => ({
        index,
        relevance_score: score,
        document: { text: documents[index] },
      }));
      return { id, model, provider: attempt.provider.slug, results, usage: rerankUsage(usage) };
    },
    writer() {
      throw new Error('rerankings are not streamed');
    },
  };
}

function rerankUsage({ prompt_tokens, search_units, cost, is_byok, cost_details }: Usage): JsonObject {
  return {
    prompt_tokens,
    total_tokens: prompt_tokens,
    ...(search_units !== undefined && { search_units }),
    cost,
    is_byok,
    cost_details,
  };
}
