/** Remembers what providers have refused: for which accounts, and for how long. */
import { OwnedMap } from '../../base/memory/owned-map.js';
import { Witnesses } from '../../routing/health/witnesses.js';

/**
 * How long a refusal is remembered: long enough to spare most requests, short enough to notice that a host supports
 * more.
 */
const MEMORY_MS = 60 * 60 * 1000;

/**
 * Maximum of targets with known refusals, over all accounts. Beyond it the account with the most forgets its oldest.
 */
const MAX_TARGETS = 10_000;

/**
 * Maximum of members known at a target, by one account or by all. There are fewer, except for made-up names of beta
 * features.
 */
const MAX_MEMBERS = 64;

interface Known {
  /** Those of the target and member at the time. If they were replaced since, the refusal has been forgotten. */
  readonly witnesses: Witnesses;
  readonly until: number;
}

/**
 * Members that were refused by a target: one endpoint and upstream model, called with one credential. An account knows
 * the refusals that it has met itself, and those that at least `QUORUM` accounts have met within the hour. Instants are
 * Unix milliseconds.
 */
export class RefusalMemory {
  readonly #own = new OwnedMap<Map<string, Known>>(MAX_TARGETS, (accountId, target, known) => {
    for (const [member, one] of known) this.#withdraw(accountId, target, member, one);
  });
  /** By target and member, however many accounts have met the refusal. */
  readonly #witnesses = new Map<string, Map<string, Witnesses>>();
  /** By target and member: until when all accounts know of the refusal. */
  readonly #agreed = new Map<string, Map<string, number>>();

  get isEmpty(): boolean {
    return this.#own.size === 0 && this.#agreed.size === 0;
  }

  /** The members that the account knows the target to refuse. */
  knownTo(accountId: string, target: string, now: number): readonly string[] {
    if (this.isEmpty) return [];
    const members = new Set<string>();
    for (const [member, { witnesses, until }] of this.#own.get(accountId, target) ?? []) {
      if (now < until && this.#witnesses.get(target)?.get(member) === witnesses) members.add(member);
    }
    for (const [member, until] of this.#agreed.get(target) ?? []) if (now < until) members.add(member);
    return [...members];
  }

  /** The members that the target has refused, for any account. */
  metAt(target: string): readonly string[] {
    return [...(this.#witnesses.get(target)?.keys() ?? [])];
  }

  learn(accountId: string, target: string, member: string, now: number): void {
    const until = now + MEMORY_MS;
    const witnesses = at(this.#witnesses, target).get(member) ?? new Witnesses();
    witnesses.add(accountId, until, now);
    at(this.#witnesses, target).set(member, witnesses);
    const own = this.#own.get(accountId, target) ?? new Map<string, Known>();
    own.delete(member);
    own.set(member, { witnesses, until });
    dropOldest(own, (oldest, known) => this.#withdraw(accountId, target, oldest, known));
    this.#own.set(accountId, target, own);
    if (now >= witnesses.quorumUntil) return;
    const agreed = at(this.#agreed, target);
    agreed.delete(member);
    agreed.set(member, witnesses.quorumUntil);
    dropOldest(agreed);
  }

  /** Forgets the refusal for all accounts. */
  forget(target: string, member: string): void {
    removeFrom(this.#witnesses, target, member);
    removeFrom(this.#agreed, target, member);
  }

  #withdraw(accountId: string, target: string, member: string, { witnesses }: Known): void {
    witnesses.remove(accountId);
    const isCurrent = this.#witnesses.get(target)?.get(member) === witnesses;
    if (isCurrent && witnesses.isEmpty) removeFrom(this.#witnesses, target, member);
  }
}

function at<V>(targets: Map<string, Map<string, V>>, target: string): Map<string, V> {
  const known = targets.get(target) ?? new Map<string, V>();
  targets.set(target, known);
  return known;
}

function removeFrom(targets: Map<string, Map<string, unknown>>, target: string, member: string): void {
  const members = targets.get(target);
  members?.delete(member);
  if (members?.size === 0) targets.delete(target);
}

function dropOldest<V>(
  members: Map<string, V>,
  dropped: (member: string, value: V) => void = () => undefined,
): void {
  for (const [member, value] of members) {
    if (members.size <= MAX_MEMBERS) return;
    members.delete(member);
    dropped(member, value);
  }
}
