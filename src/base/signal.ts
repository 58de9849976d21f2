/**
 * The part of `AbortSignal` that interruptible code needs; every `AbortSignal` is one. Requests get a `SignalSource`,
 * which is much cheaper to create. See `docs/adr/0008-own-abort-signal.md`.
 */
export interface Signal extends Pick<AbortSignal, 'aborted' | 'reason' | 'throwIfAborted'> {
  /** Listeners are called once; never when the signal is aborted already. */
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** A signal and its controller in one object. */
export class SignalSource implements Signal {
  #isAborted = false;
  #reason: unknown;
  #listeners: readonly (() => void)[] = NONE;

  get aborted(): boolean {
    return this.#isAborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  throwIfAborted(): void {
    if (this.#isAborted) throw this.#reason;
  }

  addEventListener(_: 'abort', listener: () => void): void {
    this.#listeners = [...this.#listeners, listener];
  }

  removeEventListener(_: 'abort', listener: () => void): void {
    this.#listeners = this.#listeners.filter((other) => other !== listener);
  }

  /** Further calls have no effect. */
  abort(reason: unknown): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.#reason = reason;
    const listeners = this.#listeners;
    this.#listeners = NONE;
    for (const listener of listeners) listener();
  }
}

/** Shared by all signals without listeners. */
const NONE: readonly (() => void)[] = [];
