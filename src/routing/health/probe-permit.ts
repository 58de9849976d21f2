/** After this long without content another attempt may probe, so that a silent probe can't delay the recovery. */
export const MAX_PROBE_MS = 30_000;

/** Permission to try a candidate. It must be ended whatever the outcome, which is recorded separately. */
export interface ProbePermit {
  /** `hasContent`: whether any content arrived, which shows that the candidate works, however the answer ends. */
  end(hasContent: boolean): void;
}

/** The permit of an attempt that is not a probe. */
export const UNOBSERVED: ProbePermit = { end: () => undefined };

/** A probe in progress, until an instant (Unix milliseconds). */
export interface Probe {
  readonly until: number;
}

export function probeFrom(now: number): Probe {
  return { until: now + MAX_PROBE_MS };
}
