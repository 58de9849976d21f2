/** The expected charges of a sequence, computed independently of the gateway, in the order of settlement. */
import { allowanceLeft, type Bill, billFor, feeFor, servedBy } from './bill.js';
import { dateOf, dayOf, type Window } from './calendar.js';
import { DailySums } from './daily-sums.js';
import type { Case } from './scripted-request.js';
import type { Payer } from './world.js';

/** No request is charged more. */
const MAX_NANO_USD = 100_000n * 10n ** 9n;

function capped({ totalNanoUsd, promptNanoUsd, completionNanoUsd }: Bill): Bill {
  const cap = (amount: bigint) => (amount < MAX_NANO_USD ? amount : MAX_NANO_USD);
  return {
    totalNanoUsd: cap(totalNanoUsd),
    promptNanoUsd: cap(promptNanoUsd),
    completionNanoUsd: cap(completionNanoUsd),
  };
}

/** The expected charge of a settled request. */
export interface Charged {
  readonly usageNanoUsd: bigint;
  /** null on shared capacity and for a request that failed. */
  readonly upstreamInferenceCostNanoUsd: bigint | null;
  readonly byokFeeNanoUsd: bigint;
  /** Of the month's allowance, before it; null where it has no fee. */
  readonly allowanceLeftNanoUsd: bigint | null;
  readonly promptNanoUsd: bigint;
  readonly completionNanoUsd: bigint;
}

/** The current limit of a key. */
export interface KeyLimit {
  readonly limitNanoUsd: bigint | null;
  readonly limitReset: Window;
  readonly includeByokInLimit: boolean;
}

export class Expected {
  readonly sums = new DailySums();
  readonly limits = new Map<string, KeyLimit>();
  /**
   * Requests, prompt, completion and reasoning tokens, usage and BYOK usage; by account, then by the key of the row.
   */
  readonly activity = new Map<string, Map<string, readonly bigint[]>>();

  settle(one: Case): Charged {
    const charged = this.#charge(one);
    const { account, apiKeyHash, workspaceId } = one.payer;
    const amounts = {
      creditNanoUsd: charged.usageNanoUsd,
      byokNanoUsd: charged.upstreamInferenceCostNanoUsd ?? 0n,
    };
    this.sums.add([account.id, apiKeyHash, workspaceId], dayOf(one.startedAt), amounts);
    this.#addActivity(one, amounts);
    return charged;
  }

  /** What counts toward the key's limit on the day. */
  counted({ apiKeyHash }: Payer, { limitReset, includeByokInLimit }: KeyLimit, day: number): bigint {
    const { creditNanoUsd, byokNanoUsd } = this.sums.within(apiKeyHash, limitReset, day);
    return creditNanoUsd + (includeByokInLimit ? byokNanoUsd : 0n);
  }

  #charge(one: Case): Charged {
    const { pricing, metered, startedAt, asks, gives, byokKeyId, fails } = one;
    const { account } = one.payer;
    if (fails) return FREE;
    const { totalNanoUsd, ...sides } = capped(billFor(pricing, metered, startedAt, servedBy(asks, gives)));
    if (byokKeyId === null) {
      return {
        ...sides,
        usageNanoUsd: totalNanoUsd,
        upstreamInferenceCostNanoUsd: null,
        byokFeeNanoUsd: 0n,
        allowanceLeftNanoUsd: null,
      };
    }
    const used = this.sums.within(account.id, 'monthly', dayOf(startedAt)).byokNanoUsd;
    const fee = feeFor(account.plan, used, totalNanoUsd);
    return {
      ...sides,
      usageNanoUsd: fee,
      upstreamInferenceCostNanoUsd: totalNanoUsd,
      byokFeeNanoUsd: fee,
      allowanceLeftNanoUsd: allowanceLeft(account.plan, used),
    };
  }

  #addActivity(
    { payer, model, metered, fails, startedAt }: Case,
    { creditNanoUsd, byokNanoUsd }: { creditNanoUsd: bigint; byokNanoUsd: bigint },
  ): void {
    const { account, workspaceId, apiKeyHash } = payer;
    const rows = this.activity.get(account.id) ?? new Map<string, readonly bigint[]>();
    const name = [dateOf(dayOf(startedAt)), model, fails ? null : 'demo', workspaceId, apiKeyHash].join(' ');
    const { promptTokens, completionTokens, reasoningTokens } = metered;
    const tokens = fails ? [0, 0, 0] : [promptTokens, completionTokens, reasoningTokens];
    const added = [1n, ...tokens.map(BigInt), creditNanoUsd, byokNanoUsd];
    const before = rows.get(name);
    rows.set(
      name,
      added.map((value, index) => value + (before?.[index] ?? 0n)),
    );
    this.activity.set(account.id, rows);
  }
}

const FREE: Charged = {
  usageNanoUsd: 0n,
  upstreamInferenceCostNanoUsd: null,
  byokFeeNanoUsd: 0n,
  allowanceLeftNanoUsd: null,
  promptNanoUsd: 0n,
  completionNanoUsd: 0n,
};
