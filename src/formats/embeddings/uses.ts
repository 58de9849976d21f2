import type { EmbeddingsContract } from '../../catalog/embeddings-contract.js';
import type { Untaken, Uses } from '../chat/untaken.js';
import type { JsonObject } from '../json.js';
import { inputsOf, isParts } from './inputs.js';

/** Of media, and of a number of dimensions: whoever asked for fewer has a place for no more. */
export function usesOfEmbeddings({ input, dimensions }: JsonObject): Uses<'embeddings'> {
  const parts = inputsOf(input).findIndex((one) => isParts(one));
  const asked = typeof dimensions === 'number' ? dimensions : null;
  return {
    isPlain: parts < 0 && asked === null,
    untakenBy: (contract) => [...untakenParts(contract, parts), ...untakenDimensions(contract, asked)],
    unsupportedBy: () => [],
    pathOf: () => (parts < 0 ? undefined : `input[${parts}].content`),
  };
}

function untakenParts({ takesMedia }: EmbeddingsContract, parts: number): readonly Untaken[] {
  return parts < 0 || takesMedia ? [] : [{ field: `input[${parts}].content`, rule: 'texts alone' }];
}

function untakenDimensions({ dimensions }: EmbeddingsContract, asked: number | null): readonly Untaken[] {
  if (asked === null || dimensions === 'any' || dimensions.includes(asked)) return [];
  const rule = dimensions.length === 0 ? 'no number of dimensions' : `one of ${dimensions.join(', ')}`;
  return [{ field: 'dimensions', rule }];
}
