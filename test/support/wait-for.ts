import { vi } from 'vitest';

/** Longer than anything takes on a busy machine: how fast it is, no test says. */
const TIMEOUT_MS = 15_000;

/** Tries again until nothing is thrown. */
export function waitFor<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, TIMEOUT_MS);
}
