import type { Violation } from '../../base/problem.js';
import type { JsonObject } from '../json.js';

/** Members that need a stored response, and what they may be here. */
const STORED: readonly (readonly [name: string, isTaken: (value: unknown) => boolean, rule: string])[] = [
  ['store', isOff, 'must be false or left out: no response is stored here'],
  ['background', isOff, 'must be false or left out: no response is stored here to be fetched later'],
  ['previous_response_id', isNone, 'must be left out: no response is stored here, so send the whole input'],
  ['conversation', isNone, 'must be left out: no conversation is stored here, so send the whole input'],
  ['prompt', isNone, 'must be left out: no prompt is stored here, so send it as instructions and input'],
];

/** What a request asks for that needs a stored response: nothing is stored here. */
export function statelessViolations(body: JsonObject): readonly Violation[] {
  return STORED.flatMap(([field, isTaken, message]) =>
    isTaken(body[field]) ? [] : [{ field, rule: 'stateless', message }],
  );
}

function isOff(value: unknown): boolean {
  return value === false || isNone(value);
}

function isNone(value: unknown): boolean {
  return value === undefined || value === null;
}
