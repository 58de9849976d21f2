/**
 * V8 flags for the heap; imported before everything else loads. Nearly everything allocated at the start stays alive,
 * from which V8 draws conclusions that do not hold for requests.
 */
import { setFlagsFromString } from 'node:v8';

// Without it V8 would expect lists in messages to live long, and allocate those of requests in the old generation,
// where
// only a full collection frees them and all that they hold. A large request would take several times the memory that it
// needs, and twice the time.
setFlagsFromString('--no-allocation-site-pretenuring');

// Without it the young generation would grow to 32 MB at the start, for as long as the process lives.
setFlagsFromString('--semi-space-growth-factor=1');

/** Call it when everything has loaded: the young generation then grows as usual. */
export function letYoungHeapGrow(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}
