/**
 * How V8 is to keep house; imported before all else is read. Nearly all that is read at the start stays, from which
 * V8 draws conclusions that do not hold for requests.
 */
import { setFlagsFromString } from 'node:v8';

// That lists in messages live long: it would make those of requests where only a full collection removes them, with all
// that they hold. A large request would take several times the memory that it needs, and twice the time.
setFlagsFromString('--no-allocation-site-pretenuring');

// That new objects need much room: it would give them 32 MB for as long as the process lives.
setFlagsFromString('--semi-space-growth-factor=1');

/** To be called when all is read: the room of new objects then grows with what survives in it, as is usual. */
export function letYoungHeapGrow(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}
