/** A fair lock: waiters get it in the order in which they asked. */
export class Mutex {
  #locked = false;
  readonly #waiting: (() => void)[] = [];

  get isLocked(): boolean {
    return this.#locked;
  }

  /** Resolves once the caller holds the lock; the caller must `unlock` it. */
  async lock(): Promise<void> {
    if (!this.#locked) {
      this.#locked = true;
      return;
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Passes the lock to the first waiter. */
  unlock(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#locked = false;
    else next();
  }
}
