/** What a host takes of a request for embeddings: `docs/embeddings.md#hosts`. */
export interface EmbeddingsContract {
  /** Whether inputs may have parts that are no texts. */
  readonly takesMedia: boolean;
  /** The numbers of dimensions that may be asked for. */
  readonly dimensions: 'any' | readonly number[];
}
