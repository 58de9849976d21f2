import type { Sealed } from '../../byok/vault/vault.js';

/** An answer that is kept, sealed for its account. */
export interface CachedAnswer {
  readonly key: string;
  readonly accountId: string;
  readonly sealed: Sealed;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** The port to the store of cached answers, which all processes share. */
export interface CachedAnswerStore {
  /** Also one that has expired. */
  find(key: string): Promise<CachedAnswer | undefined>;
  /** Notes that an answer was used at an instant (Unix milliseconds), so that it goes after those that were not. */
  touch(key: string, at: number): Promise<void>;
  /**
   * Keeps an answer, in place of another one with its key. Drops expired ones, then those that were used least recently, until
   * all take at most `maxBytes`.
   */
  put(answer: CachedAnswer, maxBytes: number): Promise<void>;
  /** Drops all answers of the account that are there by now. */
  deleteAll(accountId: string): Promise<void>;
}
