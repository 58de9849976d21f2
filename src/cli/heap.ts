/** How V8 is to keep house; imported before all else is read, nearly all of which stays. */
import { setFlagsFromString } from 'node:v8';

// Or V8 takes what stays for a sign that new objects need much room: 32 MB, for as long as the process lives.
setFlagsFromString('--semi-space-growth-factor=1');

/** To be called when all is read: the room of new objects then grows with what survives in it, as is usual. */
export function letYoungHeapGrow(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}
