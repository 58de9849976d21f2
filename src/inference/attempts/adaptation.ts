/**
 * Adapts calls to what providers have refused, and remembers that for a while: `docs/routing.md#adapting-to-refusals`.
 */
import type { Clock } from '../../base/clock.js';
import type { Attempt } from '../../routing/types.js';
import type { UpstreamCall } from '../ports/adapter.js';
import type { UpstreamFailure } from '../ports/failure.js';
import { adaptationOf, adaptCall, hasMember, isOwnHint } from './adapt-call.js';
import type { AdaptedMembers } from './adapted-members.js';
import { CallerText } from './caller-text.js';
import { RefusalMemory } from './refusal-memory.js';
import { anyOf, type Refusals, type RefusedMember } from './refusals.js';

/** An attempt whose call may be adapted. */
export interface AdaptableAttempt<T> {
  readonly accountId: string;
  /** Whether the request allows its calls to be adapted. */
  readonly mayAdapt: boolean;
  /** Makes the attempt with a call that `change` may change. */
  make(change: (call: UpstreamCall) => UpstreamCall): Promise<T>;
  failureOf(thrown: unknown): UpstreamFailure;
  /** Collects the members that are adapted. */
  readonly adapted: AdaptedMembers;
}

/** Further calls of an attempt: one without the first member that is refused, and one without all that still are. */
const MAX_FURTHER_CALLS = 2;

/**
 * Remembers what was refused by endpoint, host and credential, so that what one caller's host refuses affects nobody
 * else. On shared capacity it is remembered by account, until three accounts have met the same refusal.
 */
export class Adaptations {
  readonly #clock: Clock;
  readonly #refusals: Refusals;
  readonly #memory = new RefusalMemory();

  constructor(clock: Clock, refusals: Refusals) {
    this.#clock = clock;
    this.#refusals = refusals;
  }

  /**
   * Makes the attempt without the members that are known to be refused. If others are refused, it is repeated without
   * them, provided that the request can do without. A member is remembered if the provider stopped refusing once just
   * that member was left out.
   */
  async run<T>(attempt: Attempt, adaptable: AdaptableAttempt<T>): Promise<T> {
    const known = adaptable.mayAdapt ? this.#knownTo(attempt, adaptable) : [];
    const calls = new AdaptedCalls(adaptable, known, this.#refusals);
    let tried: RefusedMember | undefined;
    for (let further = 0; ; further++) {
      try {
        const result = await calls.make();
        this.#learn(attempt, adaptable, tried);
        this.#unlearn(attempt, calls.sent);
        return result;
      } catch (thrown) {
        const named = adaptable.mayAdapt ? calls.namedBy(thrown) : [];
        const refused = named.filter(({ name }) => calls.has(name));
        const [first] = refused;
        if (first === undefined || named.some(({ name }) => name === tried?.name)) throw thrown;
        this.#learn(attempt, adaptable, tried);
        if (further === MAX_FURTHER_CALLS) throw thrown;
        tried = further === 0 || refused.length === 1 ? first : undefined;
        calls.leaveOut(tried === undefined ? refused : [tried]);
      }
    }
  }

  #knownTo(attempt: Attempt, { accountId }: Pick<AdaptableAttempt<unknown>, 'accountId'>): readonly string[] {
    if (this.#memory.isEmpty) return [];
    return this.#memory.knownTo(accountId, targetOf(attempt), this.#clock.now());
  }

  #learn(
    attempt: Attempt,
    { accountId }: Pick<AdaptableAttempt<unknown>, 'accountId'>,
    tried: RefusedMember | undefined,
  ): void {
    if (tried?.isTaught) this.#memory.learn(accountId, targetOf(attempt), tried.name, this.#clock.now());
  }

  /** Forgets refusals of members that a successful call had: the provider accepts them. */
  #unlearn(attempt: Attempt, sent: UpstreamCall | undefined): void {
    if (sent === undefined || this.#memory.isEmpty) return;
    const target = targetOf(attempt);
    for (const name of this.#memory.metAt(target)) {
      if (hasMember(sent, name, this.#refusals)) this.#memory.forget(target, name);
    }
  }
}

/** The calls of one attempt. Each leaves out at least as much as the one before. */
class AdaptedCalls<T> {
  readonly #attempt: AdaptableAttempt<T>;
  readonly #refusals: Refusals;
  #leftOut: readonly string[];
  /** The last call as it was made. */
  sent: UpstreamCall | undefined;

  constructor(attempt: AdaptableAttempt<T>, known: readonly string[], refusals: Refusals) {
    this.#attempt = attempt;
    this.#leftOut = known;
    this.#refusals = refusals;
  }

  make(): Promise<T> {
    return this.#attempt.make((call) => {
      const { call: sent, adapted } = adaptCall(call, this.#leftOut, this.#refusals);
      this.sent = sent;
      for (const name of adapted) this.#tell(name, call);
      return sent;
    });
  }

  #tell(name: string, call: UpstreamCall): void {
    const feature = this.#refusals.featureOf(name);
    if (feature?.isToldByCall === true || isOwnHint(call, name)) return;
    this.#attempt.adapted.add(feature?.toldAs?.(call) ?? name, adaptationOf(name, this.#refusals));
  }

  leaveOut(members: readonly RefusedMember[]): void {
    this.#leftOut = [...this.#leftOut, ...members.map(({ name }) => name)];
  }

  /** Whether the last call has the member, so that it could be made without it. */
  has(name: string): boolean {
    return this.sent !== undefined && adaptCall(this.sent, [name], this.#refusals).adapted.length > 0;
  }

  /** The members that the last call was refused for. */
  namedBy(thrown: unknown): readonly RefusedMember[] {
    const { sent } = this;
    if (sent === undefined) return [];
    const request = new CallerText(sent.body);
    const refused = this.#refusals.membersIn(this.#attempt.failureOf(thrown), request);
    const named = refused.filter(({ name, isOfGroup }) => isOfGroup !== true || this.has(name));
    return named.map((member) => this.#asNamed(member, sent));
  }

  /**
   * If a refusal names no feature and the call has only one, it is that one. If the call has several, nothing is
   * learned.
   */
  #asNamed(member: RefusedMember, call: UpstreamCall): RefusedMember {
    const feature = this.#refusals.featureOf(member.name);
    if (feature === undefined || member.name !== anyOf(feature.kind)) return member;
    const [only, ...others] = new Set(feature.namesIn(call));
    return only === undefined || others.length > 0
      ? { ...member, isTaught: false }
      : { ...member, name: only };
  }
}

/** What a refusal holds for. Another credential, host or model may accept what this one refuses. */
function targetOf({ endpoint, provider, key, region }: Attempt): string {
  const { id, upstreamModelId } = endpoint;
  return JSON.stringify([id, upstreamModelId, provider.baseUrl, region, key?.id, key?.updatedAt]);
}
