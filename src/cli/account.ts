import { type Command, Option } from 'commander';
import { isoTimestamp } from '../base/clock.js';
import { PLANS } from '../ledger/payer.js';
import type { NewAccount } from './ledger/accounts.js';
import { runWithLedger } from './ledger/run-with-ledger.js';
import { type Outcome, report } from './output/outcome.js';
import { tableLines } from './output/table.js';
import type { CommandLine, Terminal } from './support/command-line.js';
import { withGateway } from './support/with-gateway.js';

/** `byway account create`, `list` and `credit`. */
export function addAccountCommands(program: Command, { terminal, print }: CommandLine): void {
  const group = program.command('account');
  group
    .command('create')
    .description('create an account with a workspace and a management key, which is shown this once')
    .requiredOption('--name <name>', 'its name')
    .addOption(new Option('--plan <plan>', 'its plan').choices(PLANS).default('pay_as_you_go'))
    .option('--credits <usd>', 'credits to begin with')
    .action(async (options: NewAccount) => print(await runWithLedger(terminal, 'account create', options)));
  group
    .command('list')
    .description('list all accounts')
    .action(async () => print(await list(terminal)));
  group
    .command('credit')
    .description('give credits to an account')
    .argument('<account_id>', 'the account')
    .argument('<usd>', 'how much, with at most 9 decimals')
    .action(async (accountId: string, usd: string) =>
      print(await runWithLedger(terminal, 'account credit', { accountId, usd })),
    );
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
