/**
 * Parses a provider's JSON in slices, within bounds of structure and with exact integers, as it is done for clients'
 * JSON.
 */
import { exceedsDepth } from '../../base/json/bounded/depth.js';
import { mayHoldExactInteger, readJson } from '../../base/json/bounded/read-json.js';
import type { StructureLimits } from '../../base/json/bounded/structure.js';
import { Problem } from '../../base/problem.js';
import { runToEnd } from '../../base/time-slices.js';
import { parseJson } from '../../formats/json.js';
import { malformed } from './failures.js';

/** Maximum nesting: more than any answer has, and far below what exhausts the stack in later steps. */
export const MAX_ANSWER_DEPTH = 200;

/** Enough for the log probabilities of 5,000 tokens with 20 alternatives each. */
export const ANSWER_LIMITS: StructureLimits = {
  containers: 250_000,
  values: 1_500_000,
  names: 10_000,
  depth: MAX_ANSWER_DEPTH,
};

/** For one event of a stream, which has a piece of an answer. */
export const EVENT_LIMITS: StructureLimits = {
  containers: 50_000,
  values: 250_000,
  names: 10_000,
  depth: MAX_ANSWER_DEPTH,
};

/** Shorter JSON can exceed no limit but the depth, and takes a millisecond to parse. */
export const SHORT_BYTES = 32 * 1024;

/**
 * Parses the JSON; undefined if it is invalid. Yields when it may be interrupted. Throws `UpstreamFailure` `malformed`
 * for more structure than the limits allow.
 */
export function* answerJson(bytes: Buffer, limits: StructureLimits): Generator<void, unknown> {
  try {
    return yield* readJson(bytes, { limits, hasExactIntegers: true });
  } catch (thrown) {
    return undefinedOrMalformed(thrown);
  }
}

/** As `answerJson`, at once and without copying the text, for text of at most `SHORT_BYTES`. */
export function shortAnswerJson(text: string): unknown {
  if (mayHoldExactInteger(text)) return runToEnd(answerJson(Buffer.from(text), EVENT_LIMITS));
  const json = parseJson(text);
  if (text.length >= 2 * MAX_ANSWER_DEPTH && exceedsDepth(json, MAX_ANSWER_DEPTH)) throw malformed();
  return json;
}

/** As `answerJson`, at once, for JSON within the texts of an event, which can be no larger than an event. */
export function innerAnswerJson(text: string): unknown {
  return text.length <= SHORT_BYTES
    ? shortAnswerJson(text)
    : runToEnd(answerJson(Buffer.from(text), EVENT_LIMITS));
}

function undefinedOrMalformed(thrown: unknown): undefined {
  if (thrown instanceof Problem) throw malformed(thrown);
  if (thrown instanceof SyntaxError) return undefined;
  throw thrown;
}
