import { createAccount } from '../../accounts/create-account.js';
import { systemClock } from '../../base/clock.js';
import { systemIds } from '../../base/ids.js';
import { formatNano, nanoToUsd } from '../../base/money.js';
import { invalid } from '../../base/problem.js';
import type { Gateway } from '../../compose/gateway.js';
import { checkFirstCredits, topUp } from '../../ledger/credits.js';
import type { Plan } from '../../ledger/payer.js';
import { usdAmount } from '../output/amount.js';
import { aligned, type Outcome, report } from '../output/outcome.js';
import { accountOf } from '../support/operator.js';

export interface NewAccount {
  readonly name: string;
  readonly plan: Plan;
  /** USD. */
  readonly credits?: string;
}

export interface NewCredits {
  readonly accountId: string;
  readonly usd: string;
}

const DEPENDENCIES = { clock: systemClock, ids: systemIds };

export async function create({ stores }: Gateway, { name, plan, credits }: NewAccount): Promise<Outcome> {
  const amount = credits === undefined ? undefined : usdAmount('credits', credits);
  const violations = amount === undefined ? [] : checkFirstCredits('credits', amount);
  if (violations.length > 0) throw invalid(violations);
  const created = await createAccount({ store: stores.accounts, ...DEPENDENCIES }, { name, plan });
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
    },
    aligned([
      ['account', id],
      ['workspace', workspace.id],
      ['owner', ownerUserId],
      ['management key', `${managementKey}  (shown this once)`],
    ]),
  );
}

export async function credit(gateway: Gateway, { accountId, usd }: NewCredits): Promise<Outcome> {
  const amount = usdAmount('amount', usd);
  const { id } = await accountOf(gateway, accountId);
  await topUp({ store: gateway.stores.credits, ...DEPENDENCIES }, id, amount);
  const found = await gateway.stores.credits.balanceOf(id);
  const total = found?.balance.topUpNanoUsd ?? amount;
  return report({ account_id: id, added: nanoToUsd(amount), total_credits: nanoToUsd(total) }, [
    `added ${formatNano(amount)} USD; the account has been given ${formatNano(total)} USD in all`,
  ]);
}
