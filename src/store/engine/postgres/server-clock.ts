import { performance } from 'node:perf_hooks';
import type { Clock } from '../../../base/clock.js';
import { CLOCK_TOLERANCE_MS } from '../../../ledger/balance/windows.js';

/** An answer that took longer says too little of when it was given. */
const MAX_ROUND_TRIP_MS = 5_000;

/** How far the clock of this machine is from the server's, by what queries have told. */
export class ServerClock {
  #aheadMs = 0;

  /** Runs a query that tells the server's time in Unix milliseconds. */
  async compare<R extends { readonly server_ms: number }>(query: () => Promise<R>): Promise<R> {
    const begunAt = performance.now();
    const row = await query();
    const tookMs = performance.now() - begunAt;
    if (tookMs <= MAX_ROUND_TRIP_MS) this.#aheadMs = row.server_ms + tookMs / 2 - Date.now();
    return row;
  }

  corrected(clock: Clock): Clock {
    return {
      now: () =>
        Math.abs(this.#aheadMs) > CLOCK_TOLERANCE_MS ? clock.now() + Math.round(this.#aheadMs) : clock.now(),
    };
  }
}
