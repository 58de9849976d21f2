/** What a host takes of a Responses request, as data: `docs/providers/README.md#contracts`. */
export interface ResponsesContract {
  /** Members of a request; null = also such as nobody knows here. */
  readonly members: ReadonlySet<string> | null;
}
