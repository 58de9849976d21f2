/** The places at providers' hosts: how many requests may be in flight at each, and for which account. */
import { type Demand, FairPlaces, hasFairPlace, type Shares } from '../../base/fair-places.js';
import type { Signal } from '../../base/signal.js';
import { noPlace } from '../common/failures.js';

/** Concurrent answers of one host that a single account may have. A stream occupies its connection until its end. */
export const PLACES_PER_HOST = 1_024;

const SHARES: Shares = {
  places: PLACES_PER_HOST,
  shared: (PLACES_PER_HOST * 3) / 4,
  reserved: 256,
  partOfFree: 1 / 4,
};

/** How many of `PLACES_PER_HOST` an account may have while other accounts want places too. */
export const SHARED_PLACES = SHARES.shared;

/** Maximum of connections to one host. */
export const MAX_CONNECTIONS_PER_HOST = SHARES.places + SHARES.reserved;

/** Maximum of requests that wait for one host. */
export const MAX_WAITING = 1_000;

/** Hosts that are remembered although no request is there, as in `FairPlaces`. */
const MAX_IDLE_HOSTS = 64;

/**
 * Whether an account may have one more request in flight at a host. `maxOfAccount` is the operator's own limit, which
 * holds whether or not others want places.
 */
export function hasPlaceAtHost(demand: Demand, maxOfAccount: number | undefined): boolean {
  return hasFairPlace(demand, SHARES, maxOfAccount);
}

/** The account that asks, and the host that it asks for. */
interface PlaceRequest {
  readonly origin: string;
  readonly accountId: string;
}

/** The places at all hosts that are called over the same set of connections. */
export class HostPlaces {
  readonly #maxOfAccount: number | undefined;
  readonly #hosts = new Map<string, FairPlaces>();

  constructor(maxOfAccount: number | undefined) {
    this.#maxOfAccount = maxOfAccount;
  }

  /** Hosts that take memory. */
  get size(): number {
    return this.#hosts.size;
  }

  /** Takes a place if the account may have one now. It is returned by `release`. */
  tryTake({ origin, accountId }: PlaceRequest): boolean {
    return this.#at(origin).tryTake(accountId);
  }

  /** Resolves once a place is taken. Rejects if too many wait, or once the signal is aborted. */
  wait({ origin, accountId }: PlaceRequest, signal: Signal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      let leave = () => {};
      const onAbort = () => {
        leave();
        this.#forgetIdle(origin);
        reject(noPlace(signal.reason));
      };
      const ended = () => signal.removeEventListener('abort', onAbort);
      signal.addEventListener('abort', onAbort);
      leave = this.#at(origin).wait(accountId, {
        granted() {
          ended();
          resolve();
        },
        refused() {
          ended();
          reject(noPlace());
        },
      });
    });
  }

  release({ origin, accountId }: PlaceRequest): void {
    this.#at(origin).release(accountId);
    this.#forgetIdle(origin);
  }

  #at(origin: string): FairPlaces {
    const known = this.#hosts.get(origin);
    if (known !== undefined) return known;
    const places = new FairPlaces({
      admits: (demand) => hasPlaceAtHost(demand, this.#maxOfAccount),
      maxWaiting: MAX_WAITING,
    });
    this.#hosts.set(origin, places);
    return places;
  }

  #forgetIdle(origin: string): void {
    if (this.#hosts.size > MAX_IDLE_HOSTS && this.#hosts.get(origin)?.isIdle) this.#hosts.delete(origin);
  }
}
