import { counter, type Family } from './families.js';

/** Counts how prompts' tokens were counted without a chat. */
export interface TokenCountMeter {
  readonly families: readonly Family[];
  counted(by: string): void;
}

export function createTokenCountMeter(): TokenCountMeter {
  const counts = counter(
    'byway_token_counts_total',
    'Counts of prompts, by who counted: a provider over shared capacity or a BYOK key, or an estimate.',
    'counted_by',
  );
  return {
    families: [counts],
    counted(by) {
      counts.at(by).value += 1;
    },
  };
}
