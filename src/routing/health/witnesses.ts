/**
 * How many accounts must have met something on shared capacity before it holds for all: one account, or one and an
 * accomplice, moves nobody else. In an installation of one or two accounts this comes to all of them having met it, since
 * what an account has met holds for itself anyway.
 */
export const QUORUM = 3;

/** The accounts that have met one thing, each until an instant (Unix ms); only the `QUORUM` of the latest instants are kept. */
export class Witnesses {
  readonly #until = new Map<string, number>();

  /** An account's later instant replaces its earlier one. Forgets whoever has met it until `now` or before. */
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

  /** Until when at least `QUORUM` accounts have met it; 0 while fewer have. */
  get quorumUntil(): number {
    return this.#until.size < QUORUM ? 0 : Math.min(...this.#until.values());
  }
}
