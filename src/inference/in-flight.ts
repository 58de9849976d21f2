/** Counts requests that are under way, so that closing can wait for their records. */
export class InFlight {
  #count = 0;
  readonly #waiting: (() => void)[] = [];

  /** One more; what is returned is to be called once, when it is over. */
  enter(): () => void {
    this.#count += 1;
    return () => {
      this.#count -= 1;
      if (this.#count === 0) for (const resolve of this.#waiting.splice(0)) resolve();
    };
  }

  /** Resolves once there are none. */
  none(): Promise<void> {
    return this.#count === 0 ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve));
  }
}
