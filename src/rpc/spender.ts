import { NO_SPENDER, type Spender } from '../inference/ports/spender.js';

/** For whom a request spends. */
export function spenderOf(): Spender {
  return NO_SPENDER;
}
