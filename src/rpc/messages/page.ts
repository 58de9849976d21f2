/** Records of a page when the request does not say (interface section 4). */
const DEFAULT_PAGE = 50;

/** The page asked for. */
export function pageOf(request: {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}) {
  return { offset: request.offset ?? 0, limit: request.limit ?? DEFAULT_PAGE };
}
