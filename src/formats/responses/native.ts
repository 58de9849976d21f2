import type { ResponsesBody } from './types.js';

/** The request the way an endpoint that speaks Responses gets it: without the gateway's own members and without marks. */
export function withoutOwn({ provider, models, route, ...body }: ResponsesBody): ResponsesBody {
  return body;
}
