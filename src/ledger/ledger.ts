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
   * Ends reservations that have expired at the instant and those of lost leases. Resolves to their number.
   */
  sweep(now: number): Promise<number>;
}
