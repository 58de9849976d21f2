/** Records of a page when the request names no limit. */
const DEFAULT_PAGE = 50;

export function pageOf(request: {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}) {
  return { offset: request.offset ?? 0, limit: request.limit ?? DEFAULT_PAGE };
}
