/**
 * As much of an `AbortSignal` as those need who may be interrupted; every `AbortSignal` is one. What is made for each
 * request is a `SignalSource` instead: the platform's own costs more than most of a request.
 */
export interface Signal extends Pick<AbortSignal, 'aborted' | 'reason' | 'throwIfAborted'> {
  /** Listeners are called once, and not at all when it is aborted already. */
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** A signal and what aborts it, in one. */
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

  /** Aborts it for this reason; the first one counts. */
  abort(reason: unknown): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.#reason = reason;
    const listeners = this.#listeners;
    this.#listeners = NONE;
    for (const listener of listeners) listener();
  }
}

/** At the end, since it must not be a list of its own for each. */
const NONE: readonly (() => void)[] = [];
