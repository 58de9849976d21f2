import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What may come together between two collections, the young garbage that goes by itself among it. */
const GROWTH_BYTES = 24 * 1024 * 1024;

let collect: (() => void) | undefined;
let floorBytes = Number.POSITIVE_INFINITY;

/**
 * Collects garbage when much has come together since the last time; for long work on many megabytes, which calls it
 * again and again. V8 itself lets a heap grow to four times what lives in it before it looks, and knows no bound that
 * could be set for a while. Takes some 50 ms when it does, else a microsecond or two.
 */
export function boundGarbage(): void {
  const used = getHeapStatistics().used_heap_size;
  floorBytes = Math.min(floorBytes, used);
  if (used - floorBytes < GROWTH_BYTES) return;
  collect ??= exposed();
  collect();
  floorBytes = getHeapStatistics().used_heap_size;
}

function exposed(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}
