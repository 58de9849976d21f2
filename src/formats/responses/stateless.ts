import type { Violation } from '../../base/problem.js';
import type { JsonObject } from '../json.js';

/** What a request asks for that needs a stored response: nothing is stored here. */
export function statelessViolations(_body: JsonObject): readonly Violation[] {
  return [];
}
