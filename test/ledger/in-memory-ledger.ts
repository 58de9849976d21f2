import { admit, type MaxCost } from '../../src/ledger/admission.js';
import { type Balance, emptyBalance, type Reserve } from '../../src/ledger/balance/balance.js';
import { windowStart } from '../../src/ledger/balance/windows.js';
import type { SpendLimit } from '../../src/ledger/limits.js';
import { type BillingPlan, type Payer, subjects, subjectsOf } from '../../src/ledger/payer.js';
import { type Settlement, settlementOf } from '../../src/ledger/settlement.js';
import { charged, released, reserved, toppedUp } from './balance-changes.js';

/** The rules of admission and settlement, on balances in memory instead of a database. */
export class InMemoryLedger {
  readonly #balances = new Map<string, Balance>();
  readonly #plan: BillingPlan;

  constructor(plan: BillingPlan) {
    this.#plan = plan;
  }

  balanceOf = (subject: string): Balance => this.#balances.get(subject) ?? emptyBalance(subject);

  topUp(accountId: string, amountNanoUsd: bigint): void {
    this.#change([subjects.account(accountId)], (balance) => toppedUp(balance, amountNanoUsd));
  }

  /** What is reserved; undefined when the request is not admitted. */
  start(payer: Payer, limits: readonly SpendLimit[], maxCost: MaxCost, at: number): Reserve | undefined {
    const funds = { hasCredits: true, hasByokAllowance: true };
    const admission = admit({ payer, plan: this.#plan, limits, maxCost, funds, at }, this.balanceOf);
    if (admission.kind !== 'admitted') return undefined;
    this.#change(subjectsOf(payer), (balance) => reserved(balance, admission.reserve));
    return admission.reserve;
  }

  /** Ends the reservation and charges a request that started at `at`. */
  settle(payer: Payer, reserve: Reserve, isByok: boolean, costNanoUsd: bigint, at: number): Settlement {
    const { monthly } = this.balanceOf(subjects.account(payer.accountId)).windows;
    const used = monthly.start === windowStart('monthly', at) ? monthly.byokNanoUsd : 0n;
    const settlement = settlementOf({ plan: this.#plan, isByok, costNanoUsd }, used);
    this.#change(subjectsOf(payer), (balance) => charged(released(balance, reserve), settlement.spend, at));
    return settlement;
  }

  #change(names: readonly string[], change: (balance: Balance) => Balance): void {
    for (const name of names) this.#balances.set(name, change(this.balanceOf(name)));
  }
}
