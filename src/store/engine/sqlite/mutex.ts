/** Lets one at a time through, in the order of asking. */
export class Mutex {
  #locked = false;
  readonly #waiting: (() => void)[] = [];

  get isLocked(): boolean {
    return this.#locked;
  }

  /** Resolves once it is the caller's turn; the caller must `unlock` in the end. */
  async lock(): Promise<void> {
    if (!this.#locked) {
      this.#locked = true;
      return;
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Hands the lock to the one that has waited longest. */
  unlock(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#locked = false;
    else next();
  }
}
