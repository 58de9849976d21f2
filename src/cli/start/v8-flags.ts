/**
 * V8 flags for the time of the start; imported before everything else loads. Nearly everything allocated at the start
 * stays alive and nearly all code runs a few times, from which V8 draws conclusions that do not hold for requests.
 */
import { setFlagsFromString } from 'node:v8';

// Without it V8 would expect lists in messages to live long, and allocate those of requests in the old generation,
// where only a full collection frees them and all that they hold. A large request would take several times the memory
// that it needs, and twice the time.
setFlagsFromString('--no-allocation-site-pretenuring');

// Without it the young generation would grow to 32 MB at the start, for as long as the process lives.
setFlagsFromString('--semi-space-growth-factor=1');

// Without it a fifth of the start's processor time would be spent on optimizing code that only the start runs.
setFlagsFromString('--no-opt');

/** Call it when everything has loaded: from then on the young generation grows and code is optimized as usual. */
export function endStart(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
  setFlagsFromString('--opt');
}
