import type { Violation } from '../../base/problem.js';
import type { UntranslatedRequest } from '../reading/untranslated.js';
import { documentTexts, wantedOf } from './documents.js';
import type { RerankBody } from './types.js';

const NEVER_TRANSLATED: readonly Violation[] = [
  {
    field: 'model',
    rule: 'unsupported',
    message:
      'needs an endpoint that reranks, and none is left for this request: name a model whose output_modalities (GET /models) are rerank, or send this one a request of its own API',
  },
];

/** Documents are texts, and `top_n` is at most as many as there are. */
export function readRerank(sent: RerankBody): UntranslatedRequest<'rerank'> {
  const { provider, models, route, return_documents, rank_fields, ...body } = sent;
  const { query, documents, top_n, max_tokens_per_doc, ...members } = sent;
  const texts = documentTexts(documents);
  const messages = [query, ...texts].map((content) => ({ role: 'user' as const, content: String(content) }));
  return {
    format: 'rerank',
    // No tokens of an answer are reserved, or charged.
    chat: { ...members, max_tokens: 0, messages },
    body: { ...body, documents: texts, top_n: wantedOf(sent) },
    nativeOnly: NEVER_TRANSLATED,
    omitted: [],
    wantsOneModel: true,
  };
}
