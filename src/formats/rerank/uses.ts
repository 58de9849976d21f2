import type { Uses } from '../chat/untaken.js';

/** Of hosts nothing is known that they do not take. */
const NOTHING: Uses<'rerank'> = {
  isPlain: true,
  untakenBy: () => [],
  unsupportedBy: () => [],
  pathOf: () => undefined,
};

export function usesOfRerank(): Uses<'rerank'> {
  return NOTHING;
}
