/** Sequences of random requests through the real stores, each compared with its recomputation. */
import { CLEAR, KEEP, set } from '../../../src/base/change.js';
import { Problem } from '../../../src/base/problem.js';
import { keyLimit } from '../../../src/identity/api-key.js';
import { updateKey } from '../../../src/identity/update-key.js';
import type { SpendLimit } from '../../../src/ledger/limits.js';
import { dayOf } from './calendar.js';
import { compareLedger, compareRequest, compareTotals } from './compare.js';
import { Expected } from './expected.js';
import { laterInstant, randomMetered, randomModes, randomPricing, randomWords } from './random-request.js';
import { type Answer, adapterOf, attemptOf, type Case, send } from './scripted-request.js';
import { SeededRandom } from './seeded-random.js';
import { openWorld, type Payer, populate, type World } from './world.js';

export interface Report {
  readonly requests: number;
  readonly charged: number;
  readonly fees: number;
  /** Refusals by reason. */
  readonly refused: Map<string, number>;
  readonly months: number;
  /** Empty when everything agrees. */
  readonly differences: readonly string[];
}

/** Requests between two comparisons of all totals. */
const COMPARED_EVERY = 50;

/** Runs one on an empty database; the seed determines everything except the identifiers. */
export async function runSequence(databaseUrl: string, seed: number, requests: number): Promise<Report> {
  const random = new SeededRandom(seed);
  const start = Date.UTC(random.integer(2023, 2031), random.integer(0, 11), random.integer(1, 28));
  const world = await openWorld(databaseUrl, start);
  try {
    const sequence = new Sequence(world, random, await populate(world, random));
    while (sequence.sent < requests)
      await sequence.step(Math.min(requests - sequence.sent, random.one([1, 1, 2, 12])));
    return await sequence.end();
  } finally {
    await world.close();
  }
}

class Sequence {
  readonly #world: World;
  readonly #random: SeededRandom;
  readonly #payers: readonly [Payer, ...Payer[]];
  readonly #expected = new Expected();
  readonly #limits = new Map<string, SpendLimit>();
  readonly #cases = new Map<string, Case>();
  readonly #answers = new Map<string, Answer>();
  readonly #late: { readonly release: () => void; readonly ended: Promise<void> }[] = [];
  readonly #refused = new Map<string, number>();
  readonly #differences: string[] = [];
  readonly #startedAt: number;
  #fees = 0;
  #charged = 0;
  #compared = 0;
  sent = 0;

  constructor(world: World, random: SeededRandom, [first, ...payers]: readonly Payer[]) {
    if (first === undefined) throw new Error('there is no payer');
    this.#world = world;
    this.#random = random;
    this.#payers = [first, ...payers];
    this.#startedAt = world.clock.nowMs;
  }

  /** Sends concurrent requests, some of which are answered much later. */
  async step(count: number): Promise<void> {
    const { clock } = this.#world;
    clock.nowMs = laterInstant(this.#random, clock.nowMs);
    if (this.#random.chance(0.1)) await this.#changeLimit();
    if (this.#late.length > 0 && this.#random.chance(0.1)) await this.#releaseLate();
    if (count === 1) await this.#sendSingle();
    else await Promise.all(Array.from({ length: count }, () => this.#send(this.#draw(Promise.resolve()))));
    if (this.#random.chance(0.05)) this.#sendLate();
    await this.#takeSettled();
    if (Math.floor(this.sent / COMPARED_EVERY) === this.#compared) return;
    this.#compared = Math.floor(this.sent / COMPARED_EVERY);
    this.#differences.push(...(await compareTotals(this.#world, this.#expected, this.#payers)));
  }

  async end(): Promise<Report> {
    while (this.#late.length > 0) await this.#releaseLate();
    const all = [this.#world, this.#expected, this.#payers] as const;
    this.#differences.push(...(await compareTotals(...all)), ...(await compareLedger(...all)));
    const left = await this.#world.stores.ledger.sweep(Number.MAX_SAFE_INTEGER);
    if (left > 0) this.#differences.push(`${left} requests are still reserved for`);
    return {
      requests: this.sent,
      charged: this.#charged,
      fees: this.#fees,
      refused: this.#refused,
      months: (this.#world.clock.nowMs - this.#startedAt) / (30 * 86_400_000),
      differences: this.#differences,
    };
  }

  /** Without other requests in flight it is known whether a limit or the lack of credits refuses the request. */
  async #sendSingle(): Promise<void> {
    const one = this.#draw(Promise.resolve());
    const expected = this.#isRefused(one);
    await this.#send(one);
    const answer = this.#answers.get(one.id);
    const found = answer !== undefined && 'refused' in answer ? reasonOf(answer.refused) : undefined;
    const outcome = one.fails ? 'upstream_failed' : undefined;
    if (this.#late.length === 0 && expected !== 'unknown' && found !== (expected ?? outcome)) {
      this.#differences.push(
        `request ${one.id}: ${found ?? 'success'} instead of ${expected ?? outcome ?? 'success'}`,
      );
    }
  }

  #isRefused({ payer, byokKeyId, startedAt }: Case): string | undefined {
    const today = dayOf(startedAt);
    const limit = this.#expected.limits.get(payer.apiKeyHash);
    if (limit?.limitNanoUsd != null && this.#expected.counted(payer, limit, today) >= limit.limitNanoUsd) {
      return 'key_limit_exceeded';
    }
    const { account } = payer;
    const spent = this.#expected.sums.within(account.id, null, today).creditNanoUsd;
    if (spent < account.creditsNanoUsd) return undefined;
    // Unknown, since a request whose max cost is 0 needs no credits, and the max cost is an estimate of the gateway.
    if (byokKeyId === null) return 'unknown';
    const used = this.#expected.sums.within(account.id, 'monthly', today).byokNanoUsd;
    return used < (account.plan === 'enterprise' ? 200_000n : 25_000n) * 10n ** 9n ? undefined : 'unknown';
  }

  #sendLate(): void {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#late.push({ release, ended: this.#send(this.#draw(released)) });
  }

  async #releaseLate(): Promise<void> {
    const [late] = this.#late.splice(this.#random.integer(0, this.#late.length - 1), 1);
    late?.release();
    await late?.ended;
    await this.#takeSettled();
  }

  async #send(one: Case): Promise<void> {
    const limit = this.#limits.get(one.payer.apiKeyHash);
    const script = {
      attempt: attemptOf(one),
      limits: limit === undefined ? [] : [limit],
      adapter: adapterOf(this.#world, one),
    };
    this.#world.scripts.set(one.id, script);
    this.#cases.set(one.id, one);
    const answer = await send(this.#world, one);
    this.#answers.set(one.id, answer);
    if (!('refused' in answer)) return;
    const reason = reasonOf(answer.refused);
    this.#refused.set(reason, (this.#refused.get(reason) ?? 0) + 1);
  }

  #draw(released: Promise<void>): Case {
    const random = this.#random;
    const payer = random.one(this.#payers);
    const startedAt = this.#world.clock.nowMs;
    const metered = { ...randomMetered(random), searchUnits: random.magnitude(20) };
    const base = randomPricing(random, startedAt, metered.promptTokens, payer.account.scaleUsd);
    const modes = randomModes(random, metered.promptTokens);
    return {
      id: String(this.sent++),
      payer,
      model: random.one(['m/one', 'm/two']),
      pricing: modes.length === 0 ? base : { ...base, modes },
      metered,
      asks: random.chance(0.4) ? randomWords(random) : {},
      gives: random.chance(0.4) ? randomWords(random) : {},
      byokKeyId: random.chance(0.6) ? 'byok' : null,
      isStreamed: random.chance(0.3),
      fails: random.chance(0.03),
      startedAt,
      durationMs: random.chance(0.9) ? random.magnitude(1_000) : random.magnitude(600_000),
      released,
    };
  }

  /** In the order of settlement, which determines which requests use the free allowance. */
  async #takeSettled(): Promise<void> {
    const { settled, scripts } = this.#world;
    for (const id of settled.splice(0)) {
      const one = this.#cases.get(id);
      const answer = this.#answers.get(id);
      if (one === undefined || answer === undefined)
        throw new Error(`request ${id} is settled without an end`);
      const charged = this.#expected.settle(one);
      if (charged.usageNanoUsd > 0n || charged.upstreamInferenceCostNanoUsd !== null) this.#charged += 1;
      if (charged.byokFeeNanoUsd > 0n) this.#fees += 1;
      this.#differences.push(...(await compareRequest(this.#world, one, answer, charged)));
      for (const map of [this.#cases, this.#answers, scripts]) map.delete(id);
    }
  }

  /** Sets, changes or clears the limit of one key, often to just above what it has spent. */
  async #changeLimit(): Promise<void> {
    const random = this.#random;
    const { stores, common, clock } = this.#world;
    const { account, apiKeyHash } = random.one(this.#payers);
    const limitReset = random.one(['daily', 'weekly', 'monthly', null] as const);
    const { creditNanoUsd } = this.#expected.sums.within(apiKeyHash, limitReset, dayOf(clock.nowMs));
    const room = random.chance(0.3) ? 0n : BigInt(random.magnitude(10 ** 13));
    const max = 10n ** 18n;
    const near = creditNanoUsd + room > max ? max : creditNanoUsd + room;
    const limitNanoUsd = random.chance(0.5) ? null : near;
    const includeByokInLimit = random.chance(0.5);
    const { key } = await updateKey(
      { store: stores.keys, usage: stores.usage, ...common },
      account.manager,
      apiKeyHash,
      {
        name: KEEP,
        disabled: KEEP,
        limitNanoUsd: limitNanoUsd === null ? CLEAR : set(limitNanoUsd),
        limitReset: limitReset === null ? CLEAR : set(limitReset),
        includeByokInLimit: set(includeByokInLimit),
        endUserLimitNanoUsd: KEEP,
        endUserLimitReset: KEEP,
        endUserRequired: KEEP,
        cacheTtl: KEEP,
      },
    );
    this.#expected.limits.set(apiKeyHash, { limitNanoUsd, limitReset, includeByokInLimit });
    const limit = keyLimit(key);
    if (limit === null) this.#limits.delete(apiKeyHash);
    else this.#limits.set(apiKeyHash, limit);
  }
}

function reasonOf(thrown: unknown): string {
  return thrown instanceof Problem ? thrown.reason : String(thrown);
}
