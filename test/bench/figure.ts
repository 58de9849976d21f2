/** A figure of the gateway beside the same of a peer. */
export interface BalanceSelector {
  readonly title: string;
  readonly unit: 'ms' | 'us' | 'MiB' | 'a second';
  readonly byway: number;
  readonly peer: number;
  readonly peerIs: string;
  /** What did not go well, of both. */
  readonly errors?: number;
}
