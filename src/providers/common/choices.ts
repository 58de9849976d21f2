import { members } from '../../formats/json.js';

/**
 * The choices of an answer in one piece by their `index`, which need not be their order. Where the indexes are not those of
 * so many choices, as where a host leaves them out, repeats them or begins with 1, their order counts.
 */
export function choicesByIndex(choices: readonly unknown[]): readonly unknown[] {
  const placed = new Map(choices.map((choice) => [members(choice).index, choice]));
  const ordered = choices.map((_, index) => placed.get(index));
  return ordered.includes(undefined) ? choices : ordered;
}
