/** Calls back whenever nothing has happened for so long. One timer, which a beat does not set again. */
export class Heartbeat {
  readonly #afterMs: number;
  readonly #onSilence: () => void;
  #lastAt = performance.now();
  #timer: NodeJS.Timeout;

  constructor(afterMs: number, onSilence: () => void) {
    this.#afterMs = afterMs;
    this.#onSilence = onSilence;
    this.#timer = setTimeout(this.#onTimer, afterMs);
  }

  /** Something has happened. */
  beat(): void {
    this.#lastAt = performance.now();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  readonly #onTimer = (): void => {
    let leftMs = this.#lastAt + this.#afterMs - performance.now();
    if (leftMs <= 0) {
      this.beat();
      leftMs = this.#afterMs;
      this.#onSilence();
    }
    this.#timer = setTimeout(this.#onTimer, leftMs);
  };
}
