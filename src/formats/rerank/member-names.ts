/** What reranking calls the members of a chat, where it differs. */
export const RERANK_NAMES: ReadonlyMap<string, string> = new Map([['messages', 'documents']]);

/** Members without which the order is the same. */
export const ADAPTABLE_IN_RERANK: ReadonlyMap<string, string> = new Map(
  ['user', 'safety_identifier', 'metadata'].map((name) => [name, name]),
);
