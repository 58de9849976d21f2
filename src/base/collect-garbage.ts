import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What may come together between two collections. */
const GROWTH_BYTES = 20 * 1024 * 1024;

/** What may be left of it when the young garbage is gone. */
const OLD_GROWTH_BYTES = 10 * 1024 * 1024;

type Collect = (options?: { readonly type: 'minor' }) => void;

let collect: Collect | undefined;
let floorBytes = Number.POSITIVE_INFINITY;

/**
 * Collects garbage when much has come together since the last time; for long work on many megabytes, which calls it
 * again and again. V8 itself lets a heap grow to four times what lives in it before it looks, and knows no bound that
 * could be set for a while. Takes some 50 ms when it does, else a microsecond or two.
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
 * Collects what was made lately and is not needed any more, such as the pieces of a large body: V8 lets 64 MB of bytes
 * come together before it looks at what holds them. Takes a few milliseconds.
 */
export function collectYoungGarbage(): void {
  collect ??= exposeGc();
  collect({ type: 'minor' });
}

/** Of objects, and of the bytes that they hold elsewhere. */
function usedBytes(): number {
  const { used_heap_size, external_memory } = getHeapStatistics();
  return used_heap_size + external_memory;
}

function exposeGc(): Collect {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}
