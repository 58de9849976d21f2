/** The port to the ledger of spending, and the sweep of abandoned reservations. */
import type { Clock } from '../base/clock.js';
import type { Admission, SpendRequest } from './admission.js';

/** The only authority on what is spent and reserved. Each operation is atomic across all processes. */
export interface Ledger {
  /**
   * Decides on the request and, if it is admitted, reserves its max cost under the id until it is settled, or until
   * `expiresAt` (Unix milliseconds) at the latest.
   */
  reserve(id: string, request: SpendRequest, expiresAt: number): Promise<Admission>;
  /**
   * Reserves more for a request in flight, under the same rules. false when a limit is reached or the account lacks
   * funds; then nothing changes.
   */
  extend(id: string, request: SpendRequest): Promise<boolean>;
  /**
   * Decides on a request in flight as if it came now, with another max cost, and reserves what that is more. Once its
   * reservation has ended, it is admitted without one.
   */
  raise(id: string, request: SpendRequest): Promise<Admission>;
  /**
   * Ends reservations that have expired at `now` (Unix milliseconds), and those of processes that have lost their
   * lease. Resolves to their number.
   */
  sweep(now: number): Promise<number>;
}

const SWEEP_INTERVAL_MS = 3_000;

/**
 * Sweeps now and every few seconds; returns a function that stops. Rejects when the first sweep fails; later failures
 * are left to the next sweep. The timer does not keep the process alive.
 */
export async function startSweeping(ledger: Pick<Ledger, 'sweep'>, clock: Clock): Promise<() => void> {
  await ledger.sweep(clock.now());
  const sweep = () => void ledger.sweep(clock.now()).catch(() => undefined);
  const timer = setInterval(sweep, SWEEP_INTERVAL_MS).unref();
  return () => clearInterval(timer);
}
