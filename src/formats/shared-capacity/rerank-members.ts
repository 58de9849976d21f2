/** The members of rerankings that have a price and a rule over shared capacity. */
import { allowedMembersOf, scalar } from './shape.js';

export const RERANK_REQUEST = allowedMembersOf({
  ...scalar('model', 'top_n', 'max_tokens_per_doc', 'max_chunks_per_doc', 'truncate', 'truncation'),
  ...scalar('user', 'safety_identifier'),
  query: 'words',
  documents: 'words',
});
