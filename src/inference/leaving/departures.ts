/**
 * Requests whose clients have left, and whose answers are read to their end all the same. See
 * `docs/money.md#clients-that-leave`.
 */
import type { Clock } from '../../base/clock.js';

/** How many answers are read without a client at a time: of a process, an account and an API key. */
export const MAX_FINISHING = 200;
export const MAX_FINISHING_OF_ACCOUNT = 20;
export const MAX_FINISHING_OF_KEY = 10;

/** How often API keys that expire are looked at. */
const EXPIRY_CHECK_MS = 1_000;

/** Whose request it is. */
export interface Owner {
  readonly accountId: string;
  readonly apiKeyHash: string;
}

export interface DeparturesDependencies {
  /** Until when the API key may be used, in Unix milliseconds; Infinity = for ever. */
  usableUntil(apiKeyHash: string): Promise<number>;
  readonly clock: Clock;
}

interface Finishing extends Owner {
  /** Ends the attempt. */
  cut(): void;
  usableUntil: number;
}

export class Departures {
  readonly #dependencies: DeparturesDependencies;
  readonly #finishing = new Set<Finishing>();
  readonly #ofAccount = new Map<string, number>();
  readonly #ofKey = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(dependencies: DeparturesDependencies) {
    this.#dependencies = dependencies;
  }

  /** How many answers are read without a client now. */
  get size(): number {
    return this.#finishing.size;
  }

  /**
   * Takes a place for an attempt that is to be finished without its client; undefined if there is none. Returns what
   * gives it back. `cut` is called when the API key may not be used any more.
   */
  enter({ accountId, apiKeyHash }: Owner, cut: () => void): (() => void) | undefined {
    const [ofAccount, ofKey] = [this.#ofAccount.get(accountId) ?? 0, this.#ofKey.get(apiKeyHash) ?? 0];
    const isFull = this.size >= MAX_FINISHING || ofAccount >= MAX_FINISHING_OF_ACCOUNT;
    if (isFull || ofKey >= MAX_FINISHING_OF_KEY) return undefined;
    const entry: Finishing = { accountId, apiKeyHash, cut, usableUntil: Infinity };
    this.#finishing.add(entry);
    this.#ofAccount.set(accountId, ofAccount + 1);
    this.#ofKey.set(apiKeyHash, ofKey + 1);
    this.#timer ??= setInterval(() => this.#cutExpired(), EXPIRY_CHECK_MS).unref();
    void this.#look(apiKeyHash);
    return () => this.#leave(entry);
  }

  /** Looks at the API keys again; call it when any may have changed. */
  recheck(): void {
    for (const apiKeyHash of this.#ofKey.keys()) void this.#look(apiKeyHash);
  }

  /** A key that can't be read now is looked at again with the next change. */
  async #look(apiKeyHash: string): Promise<void> {
    const usableUntil = await this.#dependencies.usableUntil(apiKeyHash).catch(() => undefined);
    if (usableUntil === undefined) return;
    for (const entry of this.#finishing) if (entry.apiKeyHash === apiKeyHash) entry.usableUntil = usableUntil;
    this.#cutExpired();
  }

  #cutExpired(): void {
    const now = this.#dependencies.clock.now();
    for (const entry of [...this.#finishing]) if (entry.usableUntil <= now) entry.cut();
  }

  #leave(entry: Finishing): void {
    if (!this.#finishing.delete(entry)) return;
    decrement(this.#ofAccount, entry.accountId);
    decrement(this.#ofKey, entry.apiKeyHash);
    if (this.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function decrement(counts: Map<string, number>, name: string): void {
  const count = (counts.get(name) ?? 0) - 1;
  if (count > 0) counts.set(name, count);
  else counts.delete(name);
}
