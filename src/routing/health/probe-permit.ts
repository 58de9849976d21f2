/** After this long without content another attempt may probe, so that a silent probe can't delay the recovery. */
export const MAX_PROBE_MS = 30_000;

/** Permission to try a candidate. Must be ended whatever the outcome, which is recorded separately. */
export interface ProbePermit {
  /** `hasContent`: whether any content came, which shows that the candidate works, however the answer ends. */
  end(hasContent: boolean): void;
}

/** Of an attempt that probes nothing. */
export const UNOBSERVED: ProbePermit = { end: () => undefined };

/** A place for an attempt that probes, until an instant (Unix ms). */
export interface Probe {
  readonly until: number;
}

export function probeFrom(now: number): Probe {
  return { until: now + MAX_PROBE_MS };
}
