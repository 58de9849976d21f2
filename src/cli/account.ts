import { type Command, Option } from 'commander';
import { createAccount } from '../accounts/create-account.js';
import { isoTimestamp, systemClock } from '../base/clock.js';
import { systemIds } from '../base/ids.js';
import { formatNano, nanoToUsd } from '../base/money.js';
import { invalid } from '../base/problem.js';
import { checkFirstCredits, topUp } from '../ledger/credits.js';
import { PLANS, type Plan } from '../ledger/payer.js';
import { usdAmount } from './output/amount.js';
import { aligned, type Outcome, report } from './output/outcome.js';
import { tableLines } from './output/table.js';
import type { CommandLine, Terminal } from './support/command-line.js';
import { accountOf } from './support/operator.js';
import { withGateway } from './support/with-gateway.js';

interface NewAccountOptions {
  readonly name: string;
  readonly plan: Plan;
  readonly credits?: string;
}

const DEPENDENCIES = { clock: systemClock, ids: systemIds };

/** `byway account create`, `list` and `credit`. */
export function addAccountCommands(program: Command, { terminal, print }: CommandLine): void {
  const group = program.command('account');
  group
    .command('create')
    .description('create an account with a workspace and a management key, which is shown this once')
    .requiredOption('--name <name>', 'its name')
    .addOption(new Option('--plan <plan>', 'its plan').choices(PLANS).default('pay_as_you_go'))
    .option('--credits <usd>', 'credits to begin with')
    .action(async (options: NewAccountOptions) => print(await create(terminal, options)));
  group
    .command('list')
    .description('list all accounts')
    .action(async () => print(await list(terminal)));
  group
    .command('credit')
    .description('give credits to an account')
    .argument('<account_id>', 'the account')
    .argument('<usd>', 'how much, with at most 9 decimals')
    .action(async (accountId: string, usd: string) => print(await credit(terminal, accountId, usd)));
}

function create(terminal: Terminal, { name, plan, credits }: NewAccountOptions): Promise<Outcome> {
  const amount = credits === undefined ? undefined : usdAmount('credits', credits);
  const violations = amount === undefined ? [] : checkFirstCredits('credits', amount);
  if (violations.length > 0) throw invalid(violations);
  return withGateway(terminal, async ({ stores }) => {
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
  });
}

function list(terminal: Terminal): Promise<Outcome> {
  return withGateway(terminal, async ({ stores }) => {
    const accounts = await stores.accounts.listAccounts();
    const data = accounts.map(({ id, name, plan, ownerUserId, createdAt }) => ({
      account_id: id,
      name,
      plan,
      owner_user_id: ownerUserId,
      created_at: isoTimestamp(createdAt),
    }));
    const rows = data.map((row) => [row.account_id, row.plan, row.owner_user_id, row.created_at, row.name]);
    const lines = tableLines(['account', 'plan', 'owner', 'created', 'name'], rows, Number.POSITIVE_INFINITY);
    return report({ data, total_count: data.length }, lines);
  });
}

function credit(terminal: Terminal, accountId: string, usd: string): Promise<Outcome> {
  const amount = usdAmount('amount', usd);
  return withGateway(terminal, async (gateway) => {
    const { id } = await accountOf(gateway, accountId);
    await topUp({ store: gateway.stores.credits, ...DEPENDENCIES }, id, amount);
    const found = await gateway.stores.credits.balanceOf(id);
    const total = found?.balance.topUpNanoUsd ?? amount;
    return report({ account_id: id, added: nanoToUsd(amount), total_credits: nanoToUsd(total) }, [
      `added ${formatNano(amount)} USD; the account has been given ${formatNano(total)} USD in all`,
    ]);
  });
}
