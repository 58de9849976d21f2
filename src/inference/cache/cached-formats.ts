import type { Format } from '../../catalog/types.js';
import type { AnswerChoice, FinishReason } from '../../formats/chat/types.js';
import { elements, members } from '../../formats/json.js';
import { normalizedOf, type UpstreamAnswer } from '../ports/adapter.js';

/** How answers of a format are kept. */
interface CachedFormat {
  /** Whether an answer is one that may be given again: complete, with as many choices as were asked for. */
  isWhole(answer: UpstreamAnswer, choices: number): boolean;
  /** The answer as JSON; without it, it is JSON as it is. */
  packed?(answer: UpstreamAnswer): object;
  unpacked?(packed: object): UpstreamAnswer;
}

/** Which requests may be answered from the cache; null = none of the format. */
export const CACHED_FORMATS: Readonly<Record<Format, CachedFormat | null>> = {
  chat: {
    isWhole(answer, expected) {
      const { choices } = normalizedOf(answer);
      return choices.length >= expected && choices.every(isEnded);
    },
  },
  messages: null,
  responses: null,
  completions: null,
  embeddings: { isWhole: isShort, packed: withPackedVectors, unpacked: withVectors },
  rerank: null,
};

/** How an answer that may be given again has ended. */
const ENDS: ReadonlySet<FinishReason> = new Set(['stop', 'tool_calls', 'length']);

/** A host that has said nothing of the end may have been cut short. */
function isEnded({ finish_reason, native_finish_reason }: AnswerChoice): boolean {
  return native_finish_reason !== null && ENDS.has(finish_reason);
}

/** Numbers of all vectors: some 700 kB in base64. */
const MAX_NUMBERS = 64 * 1024;

function isShort(answer: UpstreamAnswer): boolean {
  if (answer.format !== 'embeddings') return false;
  return answer.vectors.reduce((sum, { length }) => sum + length, 0) <= MAX_NUMBERS;
}

/** Numbers in the base64 of their bytes, so that none changes. Vectors that came in base64 are texts already. */
function withPackedVectors(answer: UpstreamAnswer): object {
  if (answer.format !== 'embeddings') return answer;
  const vectors = answer.vectors.map((vector) =>
    typeof vector === 'string'
      ? vector
      : { numbers: Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64') },
  );
  return { ...answer, vectors };
}

function withVectors(packed: object): UpstreamAnswer {
  const vectors = elements(members(packed).vectors).map((vector) => {
    const { numbers } = members(vector);
    return typeof numbers === 'string' ? numbersIn(numbers) : vector;
  });
  // It was packed from one.
  return { ...packed, vectors } as unknown as UpstreamAnswer;
}

function numbersIn(base64: string): Float64Array {
  // Its own memory: a view of Node's pool may begin anywhere.
  return new Float64Array(Uint8Array.from(Buffer.from(base64, 'base64')).buffer);
}
