/** Cohere's reranking on the wire, plain JSON in snake_case: `docs/rerank.md`. */
import type { RoutingMembers } from '../routing-members.js';

/** A request. Its members are unknown until they are read, since hosts have many of their own. */
export interface RerankBody extends RoutingMembers {
  readonly query?: unknown;
  readonly documents?: unknown;
  readonly top_n?: unknown;
  readonly return_documents?: unknown;
  readonly [member: string]: unknown;
}

/** A document by its position in the request. */
export interface RankedDocument {
  readonly index: number;
  readonly score: number;
}
