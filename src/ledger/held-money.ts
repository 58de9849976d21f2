/**
 * Money that nobody has spent and that requests in flight hold: whoever needs it waits until they end, and is refused with a
 * 429 where that takes too long. See `docs/money.md#waiting-for-reservations`.
 */
import type { NanoUsd } from '../base/money.js';
import { Problem } from '../base/problem.js';
import type { Balance } from './balance/balance.js';
import { allowanceSelector, balanceValue, owedSelector, spentValue } from './balance/balance-values.js';
import { type Interval, windowEnd } from './balance/windows.js';
import { amountsOf, type ReachedLimit, type SpendLimit } from './limits.js';
import { type BillingPlan, BYOK_ALLOWANCE_NANO_USD } from './payer.js';
import { amountInUsd } from './spent-words.js';

/** A limit, the credits of an account, or its free BYOK allowance, all of whose rest is reserved. */
export interface HeldMoney {
  /** One text for each of them. */
  readonly queue: string;
  readonly title: string;
  /** Of the limit; null for what the account has. */
  readonly id: string | null;
  readonly name: string | null;
  readonly interval: Interval | null;
  readonly limitNanoUsd: NanoUsd;
  readonly spentNanoUsd: NanoUsd;
  readonly reservedNanoUsd: NanoUsd;
}

export function heldLimit({ limit, spentNanoUsd, reservedNanoUsd }: ReachedLimit): HeldMoney {
  const { kind, id, name, title, interval, limitNanoUsd } = limit;
  return {
    queue: limitQueue(limit),
    title: title ?? `the limit of the ${KIND_WORDS[kind]} ${JSON.stringify(name)}`,
    ...{ id, name, interval, limitNanoUsd, spentNanoUsd, reservedNanoUsd },
  };
}

const KIND_WORDS: Record<SpendLimit['kind'], string> = {
  key: 'key',
  guardrail: 'guardrail',
  workspace: 'workspace',
  run: 'run',
  end_user: 'end user',
};

/** The limit of a subject in an interval. */
export function limitQueue({ kind, id, subject, interval }: ReachedLimit['limit']): string {
  return `${kind}/${id}/${interval ?? ''}/${subject}`;
}

/** The credits of an account. */
export function heldCredits(account: Balance): HeldMoney {
  const spentNanoUsd = spentValue(owedSelector(account), account);
  return {
    queue: creditsQueue(account.subject),
    title: 'the credits of the account',
    ...{ id: null, name: null, interval: null },
    limitNanoUsd: account.topUpNanoUsd,
    spentNanoUsd,
    reservedNanoUsd: account.reserved.creditNanoUsd,
  };
}

export function creditsQueue(subject: string): string {
  return `credits/${subject}`;
}

/** The free BYOK allowance of the month of an account that has no credits. */
export function heldAllowance(account: Balance, plan: BillingPlan, at: number): HeldMoney {
  const selector = allowanceSelector(account, 'byok', at);
  const spentNanoUsd = spentValue(selector, account);
  return {
    queue: allowanceQueue(account.subject),
    title: 'the free BYOK allowance of the month',
    ...{ id: null, name: null, interval: 'monthly' },
    limitNanoUsd: BYOK_ALLOWANCE_NANO_USD[plan],
    spentNanoUsd,
    reservedNanoUsd: balanceValue(selector, account) - spentNanoUsd,
  };
}

export function allowanceQueue(subject: string): string {
  return `allowance/${subject}`;
}

/** Most requests end within seconds. */
const RETRY_AFTER_S = 1;

/**
 * The 429 for money that requests in flight hold. Returned, not thrown. `at` is in Unix milliseconds; `retryAfterSeconds` is
 * 1 to 5.
 */
export function limitReserved(held: HeldMoney, at: number, retryAfterSeconds = RETRY_AFTER_S): Problem {
  const { title, id, name, interval, limitNanoUsd, spentNanoUsd, reservedNanoUsd } = held;
  const resetsAt = interval === null ? null : windowEnd(interval, at);
  const amounts = `${amountInUsd(spentNanoUsd)} of ${amountInUsd(limitNanoUsd)} USD are spent, ${amountInUsd(reservedNanoUsd)} USD reserved`;
  return new Problem(
    'limit_reserved',
    `Requests in flight hold what is left of ${title}: ${amounts}; send it again when some have ended`,
    { metadata: { id, name, interval, ...amountsOf(held, resetsAt) }, retryAfterSeconds },
  );
}
