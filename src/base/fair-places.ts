/**
 * Places of a limited resource, shared between accounts. Whoever finds no place waits, and those who wait are served
 * account by account, in turns. See `docs/adr/0037-places-shared-between-accounts.md`.
 */

/** What is known when an account asks for one more place. */
export interface Demand {
  /** Places of this account. */
  readonly held: number;
  /** Places of all accounts. */
  readonly taken: number;
  /** Whether no other account holds a place or waits for one. */
  readonly isAlone: boolean;
}

export interface Sharing {
  /** Whether the account may have one more. */
  admits(demand: Demand): boolean;
  /** How many may wait. Beyond it, the account with the most waiting loses the latest of them. */
  readonly maxWaiting: number;
}

/** How many places there are, and how many of them one account may have. */
export interface Shares {
  /** How many places an account may have while it is alone. */
  readonly places: number;
  /** How many it may have where others want places too. */
  readonly shared: number;
  /** Places beyond them, for accounts that hold few, so that nobody who comes new waits for others. */
  readonly reserved: number;
  /** An account gets one of those while it holds less than this part of what is still free. */
  readonly partOfFree: number;
}

/** A rule for `Sharing.admits`. `maxOfAccount` holds instead of `places` and `shared` where it is given. */
export function hasFairPlace(
  { held, taken, isAlone }: Demand,
  { places, shared, reserved, partOfFree }: Shares,
  maxOfAccount?: number,
): boolean {
  if (held >= (maxOfAccount ?? (isAlone ? places : shared))) return false;
  return taken < places || held < partOfFree * (places + reserved - taken);
}

/** Someone who waits. One of these is called once, unless the waiting was given up. */
export interface Waiter {
  /** A place was taken for it. */
  granted(): void;
  /** Too many wait, and most of them for its account. */
  refused(): void;
}

interface Holder {
  readonly account: string;
  held: number;
  readonly waiting: Waiter[];
}

/**
 * Accounts without places that are remembered all the same: most come again at once, and a table whose entries come and
 * go makes garbage that lives long.
 */
const MAX_IDLE = 64;

export class FairPlaces {
  readonly #sharing: Sharing;
  readonly #holders = new Map<string, Holder>();
  /** The accounts that wait, in the order of their turns. */
  readonly #turns: Holder[] = [];
  #taken = 0;
  #waiting = 0;
  /** Accounts that hold a place or wait for one. */
  #active = 0;

  constructor(sharing: Sharing) {
    this.#sharing = sharing;
  }

  /** Whether nobody holds a place or waits. */
  get isIdle(): boolean {
    return this.#active === 0;
  }

  /** Accounts that take memory. */
  get size(): number {
    return this.#holders.size;
  }

  /** Takes a place for the account if it may have one now; each is given back by `release`. */
  tryTake(account: string): boolean {
    const holder = this.#holderOf(account);
    if (holder.waiting.length > 0 || !this.#admits(holder)) {
      this.#forgetIdle(holder);
      return false;
    }
    this.#give(holder);
    return true;
  }

  /** Waits for a place that `tryTake` did not give. Returns what gives up the waiting. */
  wait(account: string, waiter: Waiter): () => void {
    const holder = this.#holderOf(account);
    if (isIdle(holder)) this.#active += 1;
    if (holder.waiting.length === 0) this.#turns.push(holder);
    holder.waiting.push(waiter);
    this.#waiting += 1;
    if (this.#waiting > this.#sharing.maxWaiting) this.#refuseOne();
    return () => this.#leave(holder, waiter);
  }

  /** Gives a place of the account back, to whoever is next. */
  release(account: string): void {
    const holder = this.#holderOf(account);
    holder.held -= 1;
    this.#taken -= 1;
    this.#ended(holder);
    this.#serve();
  }

  #holderOf(account: string): Holder {
    const known = this.#holders.get(account);
    if (known !== undefined) return known;
    const holder: Holder = { account, held: 0, waiting: [] };
    this.#holders.set(account, holder);
    return holder;
  }

  #admits(holder: Holder): boolean {
    const others = this.#active - (isIdle(holder) ? 0 : 1);
    return this.#sharing.admits({ held: holder.held, taken: this.#taken, isAlone: others === 0 });
  }

  #give(holder: Holder): void {
    if (isIdle(holder)) this.#active += 1;
    holder.held += 1;
    this.#taken += 1;
  }

  /** Gives all places that may be given, one to each account in its turn. */
  #serve(): void {
    for (let passed = 0; passed < this.#turns.length; ) {
      const holder = this.#turns.shift();
      if (holder === undefined) return;
      let waiter: Waiter | undefined;
      if (this.#admits(holder)) {
        this.#give(holder);
        waiter = holder.waiting.shift();
        this.#waiting -= 1;
      } else passed += 1;
      if (holder.waiting.length > 0) this.#turns.push(holder);
      waiter?.granted();
    }
  }

  #refuseOne(): void {
    const longest = this.#turns.reduce((most, holder) =>
      holder.waiting.length >= most.waiting.length ? holder : most,
    );
    const waiter = longest.waiting.at(-1);
    if (waiter === undefined) return;
    this.#leave(longest, waiter);
    waiter.refused();
  }

  #leave(holder: Holder, waiter: Waiter): void {
    const index = holder.waiting.lastIndexOf(waiter);
    if (index < 0) return;
    holder.waiting.splice(index, 1);
    this.#waiting -= 1;
    if (holder.waiting.length === 0) this.#turns.splice(this.#turns.indexOf(holder), 1);
    this.#ended(holder);
    // Who is alone now may have more.
    this.#serve();
  }

  #ended(holder: Holder): void {
    if (!isIdle(holder)) return;
    this.#active -= 1;
    this.#forgetIdle(holder);
  }

  #forgetIdle(holder: Holder): void {
    if (isIdle(holder) && this.#holders.size - this.#active > MAX_IDLE) this.#holders.delete(holder.account);
  }
}

function isIdle({ held, waiting }: Holder): boolean {
  return held === 0 && waiting.length === 0;
}
