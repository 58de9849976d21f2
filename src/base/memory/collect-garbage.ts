import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How much the heap may grow between two collections. */
const GROWTH_BYTES = 20 * 1024 * 1024;

/** How much must be left of that growth after a minor collection for a full one to be made. */
const OLD_GROWTH_BYTES = 10 * 1024 * 1024;

type Collect = (options?: { readonly type: 'minor' }) => void;

let collect: Collect | undefined;
let floorBytes = Number.POSITIVE_INFINITY;

/**
 * Collects garbage when the heap has grown much since the last collection; for long work on many megabytes, which calls
 * it repeatedly. V8 itself lets the heap grow to four times the live objects first, and has no limit that could be set
 * temporarily. A collection takes about 50 ms, a call without one a microsecond or two.
 */
export function limitGarbage(): void {
  const used = usedBytes();
  floorBytes = Math.min(floorBytes, used);
  if (used - floorBytes < GROWTH_BYTES) return;
  collectYoungGarbage();
  if (usedBytes() - floorBytes < OLD_GROWTH_BYTES) return;
  collect?.();
  floorBytes = usedBytes();
}

/**
 * Collects recent garbage, such as the chunks of a large body: V8 lets 64 MB of external memory accumulate before it
 * does so. Takes a few milliseconds.
 */
export function collectYoungGarbage(): void {
  collect ??= exposeGc();
  collect({ type: 'minor' });
}

/** Objects and their external memory. */
function usedBytes(): number {
  const { used_heap_size, external_memory } = getHeapStatistics();
  return used_heap_size + external_memory;
}

function exposeGc(): Collect {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}
