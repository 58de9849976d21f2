/** How long a request may take, in milliseconds: `docs/routing.md#timeouts`. */
export interface Timeouts {
  /** Until a provider's first byte; of streams. */
  readonly firstByteMs: number;
  /** Until the first content of an attempt; of streams. */
  readonly firstTokenMs: number;
  /** Without any byte of a stream, keep-alives included. */
  readonly idleMs: number;
  /** For the whole request, all attempts together. */
  readonly totalMs: number;
}

/** For operators who configure none. */
export const DEFAULT_TIMEOUTS: Timeouts = {
  firstByteMs: 60_000,
  firstTokenMs: 120_000,
  idleMs: 120_000,
  totalMs: 600_000,
};
