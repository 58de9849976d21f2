/**
 * The health of a shared endpoint for accounts that have not met its failures themselves: only what at least `QUORUM`
 * accounts have met. Instants are Unix milliseconds.
 */
import type { EndpointHealth } from '../types.js';
import {
  cooledAgain,
  cooledUntil,
  type Failure,
  type FailureRecord,
  healthOf,
  NO_FAILURE,
  restedUntil,
  UNSUPPORTED_COOLING_MS,
  waitOf,
} from './failure-record.js';
import { type Probe, type ProbePermit, probeFrom, UNOBSERVED } from './probe-permit.js';
import { QUORUM, Witnesses } from './witnesses.js';

/** Failures of different accounts that are further apart do not belong to the same outage. */
const OUTAGE_MS = 5 * 60_000;

export class SharedHealth {
  #record: FailureRecord = NO_FAILURE;
  /** When it was last deferred for all. */
  #deferredAt = 0;
  #limited = new Witnesses();
  #unsupported = new Witnesses();
  #failing = new Witnesses();
  /** By account, so that an account whose probe is silent, or fails on purpose, delays no other account's. */
  readonly #probes = new Map<string, Probe>();

  failed(accountId: string, failure: Failure, now: number): void {
    const retryAt = waitOf(failure, now);
    if (retryAt !== null) {
      this.#limited.add(accountId, retryAt, now);
      const { quorumUntil } = this.#limited;
      if (now < quorumUntil) this.#defer(restedUntil(this.#record, quorumUntil), now);
    } else if (failure.kind === 'unsupported') {
      this.#unsupported.add(accountId, now + UNSUPPORTED_COOLING_MS, now);
      const { quorumUntil } = this.#unsupported;
      if (now < quorumUntil) this.#defer(cooledUntil(this.#record, quorumUntil), now);
    } else if (now >= this.#record.coolingUntil) {
      this.#failing.add(accountId, now + OUTAGE_MS, now);
      if (now >= this.#failing.quorumUntil) return;
      this.#failing = new Witnesses();
      this.#defer(cooledAgain(this.#record, now), now);
    }
  }

  /**
   * An answer that began at `answeredAt` is complete, for any account. It shows that there is no outage, and ends
   * whatever was known before it; that then has to be met by as many accounts again.
   */
  succeeded(answeredAt: number): void {
    this.#failing = new Witnesses();
    if (this.#record === NO_FAILURE || answeredAt < this.#deferredAt) return;
    this.#defer(NO_FAILURE, answeredAt);
    this.#limited = new Witnesses();
    this.#unsupported = new Witnesses();
  }

  /** null = for an account that has met nothing. */
  at(accountId: string | null, now: number): EndpointHealth {
    const health = healthOf(this.#record, now);
    if (health.state !== 'ok' || this.#record.coolingUntil === 0) return health;
    const until = this.#probeAt(accountId, now);
    return until <= now ? health : { state: 'cooling', until };
  }

  /**
   * Call it while the health is `ok` for the account. After a cooling each of the first `QUORUM` accounts may probe.
   */
  enter(accountId: string, now: number): ProbePermit {
    if (this.#record.coolingUntil === 0) return UNOBSERVED;
    const probe = probeFrom(now);
    this.#probes.set(accountId, probe);
    return {
      end: (hasContent) => {
        if (this.#probes.get(accountId) !== probe) return;
        this.#probes.delete(accountId);
        if (!hasContent) return;
        this.#record = { ...this.#record, coolingUntil: 0 };
        this.#probes.clear();
      },
    };
  }

  /** When the account may probe at the latest; 0 = now. */
  #probeAt(accountId: string | null, now: number): number {
    for (const [account, { until }] of this.#probes) if (until <= now) this.#probes.delete(account);
    const own = accountId === null ? undefined : this.#probes.get(accountId);
    if (own !== undefined || this.#probes.size < QUORUM) return own?.until ?? 0;
    return Math.min(...[...this.#probes.values()].map(({ until }) => until));
  }

  #defer(record: FailureRecord, now: number): void {
    this.#record = record;
    this.#deferredAt = now;
    this.#probes.clear();
  }
}
