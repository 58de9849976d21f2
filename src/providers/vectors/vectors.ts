/** The vectors of an answer, whatever form they came in: `docs/embeddings.md#answers`. */
import type { Encoding, Vector } from '../../formats/embeddings/types.js';
import type { EmbeddingsAnswer, UpstreamAnswer, UpstreamUsage } from '../../inference/ports/adapter.js';
import { malformed } from '../common/failures.js';
import { countsOnly } from '../http/unstreamed.js';

/** 2,048 vectors of 3,072 numbers with 17 digits each, and some more. */
export const MAX_EMBEDDINGS_ANSWER_BYTES = 192 * 1024 * 1024;

const FLOAT_BYTES = 4;

/**
 * One vector, from numbers or base64. Base64 is kept for a client that wants it. Throws `UpstreamFailure` `malformed` for
 * what is no vector, or an empty one.
 */
export function vectorOf(value: unknown, wanted: Encoding): Vector {
  if (typeof value !== 'string') return numbersIn(value);
  const floats = floatsIn(value);
  return wanted === 'base64' ? value : floats;
}

/** One vector, from numbers alone. Throws as `vectorOf` does. */
export function numbersIn(value: unknown): Float64Array {
  const numbers = value instanceof Float64Array ? value : listed(value);
  if (numbers.length === 0 || !numbers.every(isFloat)) throw malformed();
  return numbers;
}

/** Whether base64 and RPC can say it, as 32 bits. */
function isFloat(number: number): boolean {
  return Number.isFinite(Math.fround(number));
}

function listed(value: unknown): Float64Array {
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'number')) throw malformed();
  return Float64Array.from(value);
}

/** The vector of the same direction whose length is 1; one of zeros alone as it is. */
export function ofLengthOne(vector: Float64Array): Float64Array {
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((number) => number / length);
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

function floatsIn(base64: string): Float64Array {
  if (!BASE64.test(base64)) throw malformed();
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length === 0 || bytes.length % FLOAT_BYTES !== 0) throw malformed();
  const floats = new Float64Array(bytes.length / FLOAT_BYTES);
  for (let index = 0; index < floats.length; index += 1) {
    const float = bytes.readFloatLE(index * FLOAT_BYTES);
    if (!Number.isFinite(float)) throw malformed();
    floats[index] = float;
  }
  return floats;
}

/**
 * The vectors by the indexes that came with them, one for each input. Throws `UpstreamFailure` `malformed` where one is
 * missing, there are more, or they differ in length.
 */
export function inOrderOfInputs(
  vectors: readonly (readonly [index: number, vector: Vector])[],
  inputs: number,
): Vector[] {
  const ordered: Vector[] = [];
  for (const [index, vector] of vectors) {
    if (!Number.isInteger(index) || index < 0 || index >= inputs || ordered[index] !== undefined)
      throw malformed();
    ordered[index] = vector;
  }
  if (vectors.length !== inputs || new Set(ordered.map(lengthOf)).size > 1) throw malformed();
  return ordered;
}

function lengthOf(vector: Vector): number {
  return typeof vector === 'string' ? -vector.length : vector.length;
}

/** An answer with these vectors. */
export function vectorsAnswer(
  vectors: readonly Vector[],
  usage: UpstreamUsage,
  native: EmbeddingsAnswer['native'] = {},
): UpstreamAnswer<'embeddings'> {
  return {
    format: 'embeddings',
    native,
    vectors,
    normalized: countsOnly(usage),
  };
}

/** The usage of several inputs, of which each has a count of its own. Where one is missing, that of all is. */
export function usageOfAll(counts: readonly (number | undefined)[]): UpstreamUsage {
  if (counts.includes(undefined)) return {};
  return { promptTokens: counts.reduce<number>((sum, count) => sum + (count ?? 0), 0) };
}
