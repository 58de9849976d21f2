import { Problem } from '../base/problem.js';

/** Each reads page after page for as long as its client takes it. */
const MAX_EXPORTS_PER_ACCOUNT = 2;

/** Most exports end within seconds. */
const RETRY_AFTER_S = 5;

/** The exports that run in this process, by account. */
export class ExportLimit {
  readonly #running = new Map<string, number>();

  /** Runs the export. Throws the Problem `rate_limited` before its first page where the account has too many running. */
  async *run<T>(accountId: string, pages: () => AsyncIterable<T>): AsyncGenerator<T> {
    const running = this.#running.get(accountId) ?? 0;
    if (running >= MAX_EXPORTS_PER_ACCOUNT) throw tooManyExports();
    this.#running.set(accountId, running + 1);
    try {
      yield* pages();
    } finally {
      this.#ended(accountId);
    }
  }

  #ended(accountId: string): void {
    const left = (this.#running.get(accountId) ?? 0) - 1;
    if (left > 0) this.#running.set(accountId, left);
    else this.#running.delete(accountId);
  }
}

function tooManyExports(): Problem {
  const message = `An account may run ${MAX_EXPORTS_PER_ACCOUNT} exports at a time: start the next one when one has ended`;
  return new Problem('rate_limited', message, { retryAfterSeconds: RETRY_AFTER_S });
}
