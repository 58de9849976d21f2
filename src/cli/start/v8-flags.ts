/**
 * V8 flags for the time of the start; imported before everything else loads. Nearly everything allocated at the start
 * stays alive and nearly all code runs a few times, from which V8 draws conclusions that do not hold for requests.
 */
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * How far the young generation grows, both halves together: V8's own maximum until Node 22. With Node 24 it would go on to
 * 128 MiB, which the process keeps. With half of this a chat takes a tenth more processor time.
 */
const MAX_YOUNG_BYTES = 32 * 1024 * 1024;

/**
 * How much the old generation grows between two full collections. By default it about doubles, and what it once had the
 * process keeps. What it saves and costs is in docs/measurements/2026-11-start-and-memory.md.
 */
const OLD_GROWTH_PERCENT = 50;

// Without it V8 would expect lists in messages to live long, and allocate those of requests in the old generation,
// where only a full collection frees them and all that they hold. A large request would take several times the memory
// that it needs, and twice the time.
setFlagsFromString('--no-allocation-site-pretenuring');

// Without it the young generation would grow to its maximum at the start, for as long as the process lives.
setFlagsFromString('--semi-space-growth-factor=1');

// Without it a fifth of the start's processor time would be spent on optimizing code that only the start runs.
setFlagsFromString('--no-opt');

/** Call it when everything has loaded: from then on code is optimized, and both generations grow to their limits. */
export function endStart(): void {
  setFlagsFromString('--opt');
  setFlagsFromString(`--heap-growing-percent=${OLD_GROWTH_PERCENT}`);
  setFlagsFromString('--semi-space-growth-factor=2');
  // V8 takes its own maximum only with the process's arguments.
  const collections = new PerformanceObserver(() => {
    if (youngBytes() < MAX_YOUNG_BYTES) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    collections.disconnect();
  });
  collections.observe({ entryTypes: ['gc'] });
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;
}
