import { elements, members } from '../json.js';
import { markIn } from './thoughts.js';
import type { ResponsesBody } from './types.js';

/**
 * The request the way an endpoint that speaks Responses gets it: without the gateway's own members (`provider`, `models`,
 * `route`) and without reasoning in marks, which another model made; nothing of it is to be stored.
 */
export function withoutOwn({ provider, models, route, ...body }: ResponsesBody): ResponsesBody {
  const hasMarks = elements(body.input).some(isMarked);
  const input = hasMarks ? elements(body.input).filter((item) => !isMarked(item)) : body.input;
  return { ...body, ...(input !== undefined && { input }), store: false };
}

function isMarked(item: unknown): boolean {
  return markIn(members(item)) !== undefined;
}
