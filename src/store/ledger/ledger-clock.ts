import type { Clock } from '../../base/clock.js';
import { CLOCK_TOLERANCE_MS, latestInstant } from '../../ledger/balance/windows.js';

/** A clock that was set wrongly is often right again by then. */
const DOUBT_MS = 600_000;

/**
 * The clock by which the ledger charges. When it is set back, the ledger goes on at the latest instant that it has seen,
 * so that everything counts in the newest windows. When the clock is still behind after some minutes, it was ahead
 * before: what was charged since then is brought back to when it was set.
 */
export class LedgerClock {
  readonly #clock: Clock;
  readonly #bringBack: (to: number) => Promise<void>;
  #latestSeen: number;
  #behindSince: number | null = null;
  #bringing: Promise<void> | null = null;

  /** `bringBack` dates what lies ahead of an instant (Unix milliseconds) to it. */
  constructor(clock: Clock, bringBack: (to: number) => Promise<void>) {
    this.#clock = clock;
    this.#bringBack = bringBack;
    this.#latestSeen = clock.now();
  }

  /** To be called before decisions, and awaited where it returns a promise. Rejects when the database fails. */
  check(): Promise<void> | null {
    const now = this.#clock.now();
    if (now >= this.#latestSeen - CLOCK_TOLERANCE_MS) {
      this.#latestSeen = Math.max(now, this.#latestSeen);
      this.#behindSince = null;
      return null;
    }
    const since = Math.min(this.#behindSince ?? now, now);
    this.#behindSince = since;
    if (now - since < DOUBT_MS) return null;
    this.#bringing ??= this.#bringBack(since)
      .then(() => {
        this.#latestSeen = this.#clock.now();
        this.#behindSince = null;
      })
      .finally(() => {
        this.#bringing = null;
      });
    return this.#bringing;
  }

  /** When a request that began at `at` is charged. All instants are Unix milliseconds. */
  chargedAt(at: number): number {
    if (this.#behindSince !== null) return Math.max(at, this.#latestSeen);
    return Math.min(at, latestInstant(this.#clock.now()));
  }
}
