import { createAccount } from '../../accounts/account/create-account.js';
import { systemClock } from '../../base/clock.js';
import { systemIds } from '../../base/ids.js';
import { formatNano, nanoToUsd } from '../../base/money.js';
import { invalid } from '../../base/problem.js';
import type { Gateway } from '../../compose/gateway.js';
import { checkFirstCredits, topUp } from '../../ledger/credits.js';
import type { BillingPlan } from '../../ledger/payer.js';
import { usdAmount } from '../output/amount.js';
import { aligned, type CommandOutcome, report } from '../output/outcome.js';
import { accountOf } from '../support/operator.js';

export interface AccountOptions {
  readonly name: string;
  readonly plan: BillingPlan;
  /** USD. */
  readonly credits?: string;
}

export interface NewCredits {
  readonly accountId: string;
  /** Below 0: taken back. */
  readonly usd: string;
  readonly note?: string;
}

const DEPENDENCIES = { clock: systemClock, ids: systemIds };

/**
 * Where nothing is billed, only the first account has shared capacity unless told otherwise: whoever makes another one may not
 * mean to pay for it.
 */
export async function create(
  { stores, isBilled }: Gateway,
  { name, plan, credits }: AccountOptions,
): Promise<CommandOutcome> {
  const amount = credits === undefined ? undefined : usdAmount('credits', credits);
  const violations = amount === undefined ? [] : checkFirstCredits('credits', amount);
  if (violations.length > 0) throw invalid(violations);
  const hasSharedCapacity = isBilled || !(await stores.accounts.hasAccounts());
  const input = { name, plan, hasSharedCapacity };
  const created = await createAccount({ store: stores.accounts, ...DEPENDENCIES }, input);
  const { account, workspace, managementKey } = created;
  if (amount !== undefined && amount > 0n)
    await topUp({ store: stores.credits, ...DEPENDENCIES }, account.id, amount);
  const { id, ownerUserId } = account;
  return report(
    {
      account_id: id,
      workspace_id: workspace.id,
      owner_user_id: ownerUserId,
      management_key: managementKey,
      ...(!hasSharedCapacity && { shared_capacity: false }),
    },
    aligned([
      ['account', id],
      ['workspace', workspace.id],
      ['owner', ownerUserId],
      ['management key', `${managementKey}  (shown this once)`],
      ...(hasSharedCapacity
        ? []
        : ([['shared capacity', `off; byway account update ${id} --shared-capacity on`]] as const)),
    ]),
  );
}

export async function credit(
  gateway: Gateway,
  { accountId, usd, note }: NewCredits,
): Promise<CommandOutcome> {
  const amount = usdAmount('amount', usd);
  const { id } = await accountOf(gateway, accountId);
  await topUp({ store: gateway.stores.credits, ...DEPENDENCIES }, id, amount, note);
  const found = await gateway.stores.credits.balanceOf(id);
  const total = found?.balance.topUpNanoUsd ?? amount;
  const done = amount < 0n ? `took back ${formatNano(-amount)} USD` : `added ${formatNano(amount)} USD`;
  return report({ account_id: id, added: nanoToUsd(amount), total_credits: nanoToUsd(total) }, [
    `${done}; the account has been given ${formatNano(total)} USD in all`,
  ]);
}
