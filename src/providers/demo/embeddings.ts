/** The demo provider's embeddings: texts that share words are near each other, and equal texts have equal ones. */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../formats/chat/types.js';
import { type EmbeddingInput, inputsOf, isParts, isTokens } from '../../formats/embeddings/inputs.js';
import { members } from '../../formats/json.js';
import type { UpstreamAnswer } from '../../inference/ports/adapter.js';
import { vectorsAnswer } from '../vectors/vectors.js';

/** Numbers of an embedding where the request names none. */
const DIMENSIONS = 256;

/** What one embedding may have. */
const MAX_DIMENSIONS = 4096;

/** Words of longer texts have no part in it. */
const MAX_WORDS = 2_000;

export function demoEmbeddings({ input, dimensions }: JsonObject): UpstreamAnswer<'embeddings'> {
  const length = typeof dimensions === 'number' ? Math.min(dimensions, MAX_DIMENSIONS) : DIMENSIONS;
  const texts = inputsOf(input).map(wordsOf);
  const promptTokens = texts.reduce((sum, words) => sum + words.length, 0);
  return vectorsAnswer(
    texts.map((words) => vectorOf(words, length)),
    { promptTokens },
  );
}

/** A token stands for a word. */
function wordsOf(input: EmbeddingInput): readonly string[] {
  if (isTokens(input)) return input.map(String);
  const text = isParts(input) ? input.content.map((part) => members(part).text).join(' ') : input;
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Of length 1. */
function vectorOf(words: readonly string[], length: number): Float64Array {
  const vector = new Float64Array(length);
  for (const word of words.slice(0, MAX_WORDS)) {
    const hash = createHash('sha256').update(word).digest();
    for (let at = 0; at < hash.length; at += 4) {
      const index = hash.readUInt16LE(at) % length;
      vector[index] = (vector[index] ?? 0) + hash.readInt16LE(at + 2);
    }
  }
  const norm = Math.hypot(...vector) || 1;
  return vector.map((number) => Math.fround(number / norm));
}
