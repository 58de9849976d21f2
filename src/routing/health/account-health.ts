/** The health of one candidate as one account knows it. Instants are Unix milliseconds. */
import type { EndpointHealth } from '../types.js';
import { afterFailure, type Failure, type FailureRecord, healthOf, NO_FAILURE } from './failure-record.js';
import { type Probe, type ProbePermit, probeFrom, UNOBSERVED } from './probe-permit.js';

export class AccountHealth {
  #record: FailureRecord = NO_FAILURE;
  /** When it was last deferred. */
  #deferredAt = 0;
  /** The attempt that probes after a cooling. */
  #probe: Probe | null = null;

  failed(failure: Failure, now: number): void {
    const next = afterFailure(this.#record, failure, now);
    if (next !== this.#record) this.#probe = null;
    if (isDeferred(this.#record, next)) this.#deferredAt = now;
    this.#record = next;
  }

  /** Whether a request that was answered at this instant shows that nothing recorded here holds any more. */
  isOverBy(answeredAt: number): boolean {
    return answeredAt >= this.#deferredAt;
  }

  at(now: number): EndpointHealth {
    const coolingUntil = this.#probe?.until ?? this.#record.coolingUntil;
    return healthOf({ ...this.#record, coolingUntil }, now);
  }

  /** Call it while the health is `ok`. The first attempt after a cooling is the probe. */
  enter(now: number): ProbePermit {
    if (this.#record.coolingUntil === 0) return UNOBSERVED;
    const probe = probeFrom(now);
    this.#probe = probe;
    return {
      end: (hasContent) => {
        if (this.#probe !== probe) return;
        this.#probe = null;
        if (hasContent) this.#record = { ...this.#record, coolingUntil: 0 };
      },
    };
  }
}

function isDeferred(before: FailureRecord, after: FailureRecord): boolean {
  return after.coolingUntil !== before.coolingUntil || after.restingUntil !== before.restingUntil;
}
