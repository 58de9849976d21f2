/** A measurement of the gateway beside the same of a peer. */
export interface Measurement {
  readonly title: string;
  readonly unit: 'ms' | 'us' | 'MiB' | 'a second';
  readonly byway: number;
  readonly peer: number;
  readonly peerIs: string;
  /** Errors of both. */
  readonly errors?: number;
}
