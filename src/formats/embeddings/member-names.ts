/** Embeddings' names of a chat's members, where they differ. */
export const EMBEDDINGS_NAMES: ReadonlyMap<string, string> = new Map([['messages', 'input']]);

/** Members without which the embeddings are the same. */
export const ADAPTABLE_IN_EMBEDDINGS: ReadonlyMap<string, string> = new Map(
  ['encoding_format', 'user', 'safety_identifier', 'metadata'].map((name) => [name, name]),
);
