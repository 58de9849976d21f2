/** The documents of a request, whichever form they have: `docs/rerank.md#documents`. */
import type { Violation } from '../../base/problem.js';
import { elements, type JsonObject, members } from '../json.js';

/** Their texts. The request is valid. */
export function documentTexts(documents: unknown): readonly string[] {
  return elements(documents).map((one) => String(typeof one === 'string' ? one : members(one).text));
}

/** How many documents the answer has. */
export function wantedOf({ documents, top_n }: JsonObject): number {
  const { length } = elements(documents);
  return typeof top_n === 'number' ? Math.min(top_n, length) : length;
}

/** What the contract can't say. A document whose text is not all that is to be ranked would be ranked by a part of it. */
export function documentViolations({ documents, rank_fields }: JsonObject): readonly Violation[] {
  const images = elements(documents).flatMap((one, index) =>
    isGiven(members(one).image)
      ? [unsupported(`documents[${index}].image`, 'is not ranked: send texts')]
      : [],
  );
  const isOfTexts = !isGiven(rank_fields) || elements(rank_fields).every((name) => name === 'text');
  return isOfTexts
    ? images
    : [...images, unsupported('rank_fields', 'may name text alone: write other members into the text')];
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function unsupported(field: string, message: string): Violation {
  return { field, rule: 'unsupported', message };
}
