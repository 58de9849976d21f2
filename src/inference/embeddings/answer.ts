import type { Usage } from '../../formats/chat/types.js';
import { encodingOf } from '../../formats/embeddings/encoding.js';
import type { JsonObject } from '../../formats/json.js';
import type { AnswerFormat } from '../ports/answer-format.js';
import { EmbeddingList } from './embedding-list.js';

/** Answers to a request with this body: the provider's, but for id, model, usage and how vectors are written. */
export function embeddingsAnswer(body: JsonObject): AnswerFormat<EmbeddingList, never> {
  return {
    whole({ id, model, attempt }, result, usage) {
      if (result.format !== 'embeddings') throw new Error('embeddings were answered as something else');
      const provider = attempt.provider.slug;
      const head = { ...result.native, id, object: 'list', model, provider, usage: embeddingsUsage(usage) };
      return new EmbeddingList(head, result.vectors, encodingOf(body));
    },
    writer() {
      throw new Error('embeddings are not streamed');
    },
  };
}

function embeddingsUsage(usage: Usage): JsonObject {
  const { completion_tokens, completion_tokens_details, ...ofPrompt } = usage;
  return { ...ofPrompt, total_tokens: usage.prompt_tokens };
}
