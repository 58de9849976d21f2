/**
 * How many accounts must have met something on shared capacity before it holds for all. One account, or one with an
 * accomplice, thus affects nobody else. With one or two accounts in all, everybody has met it by themselves, since what
 * an account has met always holds for itself.
 */
export const QUORUM = 3;

/**
 * The accounts that have met one thing, each until an instant (Unix milliseconds). Only the `QUORUM` latest are stored.
 */
export class Witnesses {
  readonly #until = new Map<string, number>();

  /**
   * A later instant of an account replaces its earlier one. Accounts whose instant is `now` or earlier are forgotten.
   */
  add(accountId: string, until: number, now: number): void {
    this.#until.set(accountId, Math.max(until, this.#until.get(accountId) ?? 0));
    const latest = [...this.#until].filter(([, at]) => now < at).sort(([, a], [, b]) => b - a);
    this.#until.clear();
    for (const [account, at] of latest.slice(0, QUORUM)) this.#until.set(account, at);
  }

  remove(accountId: string): void {
    this.#until.delete(accountId);
  }

  get isEmpty(): boolean {
    return this.#until.size === 0;
  }

  /** Until when at least `QUORUM` accounts have met it; 0 if fewer have. */
  get quorumUntil(): number {
    return this.#until.size < QUORUM ? 0 : Math.min(...this.#until.values());
  }
}
