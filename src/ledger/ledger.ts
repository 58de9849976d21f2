import type { Admission, SpendRequest } from './admission.js';

/**
 * The one authority on what is spent and reserved. Each act is one step: nobody else moves the balances between its
 * look and its write.
 */
export interface Ledger {
  /**
   * Decides on the request and, when it is admitted, keeps its worst case back under the id until it is settled, or
   * at the latest until `expiresAt` (Unix milliseconds).
   */
  reserve(id: string, request: SpendRequest, expiresAt: number): Promise<Admission>;
  /**
   * Keeps more back for a request under way, under the same rules. false where a limit is reached or the account
   * can't pay any more: then nothing changes.
   */
  extend(id: string, request: SpendRequest): Promise<boolean>;
  /**
   * Ends the reservations that are over at the instant: those past their end, and those of processes that are no
   * more. Resolves with their number.
   */
  sweep(now: number): Promise<number>;
}
