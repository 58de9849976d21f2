import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** From this size on, work on a body is worth a collection of what it left behind. */
export const LARGE_BYTES = 4 * 1024 * 1024;

let collect: (() => void) | undefined;

/**
 * Collects garbage now, between two steps of work on many megabytes: what the one leaves behind would else stand in
 * memory beside what the next one makes, and add up to several times the size of the work. Takes some 60 ms.
 */
export function collectGarbage(): void {
  collect ??= exposed();
  collect();
}

function exposed(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}
