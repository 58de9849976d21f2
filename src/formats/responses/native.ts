import { elements, members } from '../json.js';
import { callAsText } from './call-text.js';
import { markIn } from './thoughts.js';
import type { ResponsesBody } from './types.js';

/**
 * The request the way an endpoint that speaks Responses gets it: without the gateway's own members (`provider`, `models`,
 * `route`) and without reasoning in marks, which another model made; calls and outputs are texts; nothing of it is to be
 * stored.
 */
export function withoutOwn({ provider, models, route, ...body }: ResponsesBody): ResponsesBody {
  const { input } = body;
  const kept = elements(input).flatMap((item) => (isMarked(item) ? [] : [callAsText(item)]));
  const isSame = elements(input).every((item, at) => item === kept[at]);
  return { ...body, ...(input !== undefined && { input: isSame ? input : kept }), store: false };
}

function isMarked(item: unknown): boolean {
  return markIn(members(item)) !== undefined;
}
