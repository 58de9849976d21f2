import type { Uses } from '../chat/untaken.js';

/** Of hosts nothing is known that they do not take. */
const NOTHING: Uses<'completions'> = {
  isPlain: true,
  untakenBy: () => [],
  unsupportedBy: () => [],
  pathOf: () => undefined,
};

export function usesOfCompletions(): Uses<'completions'> {
  return NOTHING;
}
