import { type Command, Option } from 'commander';
import type { Account, AccountChange } from '../accounts/account/account.js';
import { isoTimestamp, systemClock } from '../base/clock.js';
import { formatNano, nanoToUsd } from '../base/money.js';
import { invalid, Problem } from '../base/problem.js';
import { checkName } from '../identity/key-rules.js';
import { BILLING_PLANS, type BillingPlan } from '../ledger/payer.js';
import type { AccountOptions } from './ledger/accounts.js';
import { runWithLedger } from './ledger/run-with-ledger.js';
import type { CommandLine, Terminal } from './output/command-line.js';
import { aligned, type CommandOutcome, report } from './output/outcome.js';
import { printable, tableLines } from './output/table.js';
import { accountOf } from './support/operator.js';
import { withGateway } from './support/with-gateway.js';

/** `byway account create`, `list`, `show`, `credit`, `update`, `close` and `reopen`. */
export function addAccountCommands(program: Command, { terminal, print }: CommandLine): void {
  const group = program.command('account');
  group
    .command('create')
    .description('create an account with a workspace and a management key, which is shown this once')
    .requiredOption('--name <name>', 'its name')
    .addOption(new Option('--plan <plan>', 'its plan').choices(BILLING_PLANS).default('pay_as_you_go'))
    .option('--credits <usd>', 'credits to begin with')
    .action(async (options: AccountOptions) =>
      print(await runWithLedger(terminal, 'account create', options)),
    );
  group
    .command('list')
    .description('list all accounts')
    .action(async () => print(await list(terminal)));
  group
    .command('show')
    .description('show an account, its credits, and its newest top-ups with their notes')
    .argument('<account_id>', 'the account')
    .action(async (accountId: string) => print(await show(terminal, accountId)));
  group
    .command('credit')
    .description('give credits to an account, or take back with a negative amount what is not spent')
    .argument('<account_id>', 'the account')
    .argument('<usd>', 'how much, with at most 9 decimals; below 0 to take back')
    .option('--note <text>', 'why, kept in the ledger; required to take back')
    .action(async (accountId: string, usd: string, { note }: { note?: string }) =>
      print(
        await runWithLedger(terminal, 'account credit', {
          accountId,
          usd,
          ...(note !== undefined && { note }),
        }),
      ),
    );
  group
    .command('update')
    .description('change an account; what is not named stays')
    .argument('<account_id>', 'the account')
    .option('--name <name>', 'its name')
    .addOption(new Option('--plan <plan>', 'its plan, for requests from now on').choices(BILLING_PLANS))
    .addOption(
      new Option('--shared-capacity <on|off>', "whether it may use the gateway's own credentials").choices([
        'on',
        'off',
      ]),
    )
    .action(async (accountId: string, options: UpdateOptions) =>
      print(await update(terminal, accountId, options)),
    );
  group
    .command('close')
    .description('refuse all keys of an account from now on; its data stays, and "account reopen" undoes it')
    .argument('<account_id>', 'the account')
    .action(async (accountId: string) => print(await close(terminal, accountId)));
  group
    .command('reopen')
    .description('admit the keys of a closed account again')
    .argument('<account_id>', 'the account')
    .action(async (accountId: string) => print(await change(terminal, accountId, { closedAt: null })));
}

interface UpdateOptions {
  readonly name?: string;
  readonly plan?: BillingPlan;
  readonly sharedCapacity?: 'on' | 'off';
}

function list(terminal: Terminal): Promise<CommandOutcome> {
  return withGateway(terminal, async ({ stores }) => {
    const accounts = await stores.accounts.listAccounts();
    const data = accounts.map(listed);
    const rows = accounts.map(({ id, plan, ownerUserId, createdAt, closedAt, name }) => {
      return [id, plan, closedAt === null ? 'open' : 'closed', ownerUserId, isoTimestamp(createdAt), name];
    });
    const header = ['account', 'plan', 'state', 'owner', 'created', 'name'];
    return report({ data, total_count: data.length }, tableLines(header, rows, Number.POSITIVE_INFINITY));
  });
}

/** An open account with shared capacity is the default, and nothing is said of either. */
function listed(account: Account) {
  const { shared_capacity, closed_at, ...rest } = documentOf(account);
  return { ...rest, ...(!shared_capacity && { shared_capacity }), ...(closed_at !== null && { closed_at }) };
}

/** Top-ups that are shown. */
const SHOWN_TOP_UPS = 100;

function show(terminal: Terminal, accountId: string): Promise<CommandOutcome> {
  return withGateway(terminal, async (gateway) => {
    const account = await accountOf(gateway, accountId);
    const { credits } = gateway.stores;
    const found = await credits.balanceOf(account.id);
    const topUps = await credits.listTopUps(account.id, SHOWN_TOP_UPS);
    const given = found?.balance.topUpNanoUsd ?? 0n;
    const charged = found?.balance.total.creditNanoUsd ?? 0n;
    const unbilled = found?.unbilledNanoUsd ?? 0n;
    return report(
      {
        ...documentOf(account),
        total_credits: nanoToUsd(given),
        total_usage: nanoToUsd(charged),
        unbilled_usage: nanoToUsd(unbilled),
        top_ups: topUps.map(({ amountNanoUsd, note, createdAt }) => ({
          created_at: isoTimestamp(createdAt),
          amount: nanoToUsd(amountNanoUsd),
          note,
        })),
      },
      [
        ...linesOf(account),
        ...aligned([
          ['credits', `${formatNano(given)} USD given, ${formatNano(charged)} USD charged`],
          ['unbilled', `${formatNano(unbilled)} USD used and never charged`],
        ]),
        ...topUps.map(({ amountNanoUsd, note, createdAt }) => {
          const told = note === null ? '' : `  ${printable(note)}`;
          return `${isoTimestamp(createdAt)}  ${formatNano(amountNanoUsd)} USD${told}`;
        }),
      ],
    );
  });
}

function update(
  terminal: Terminal,
  accountId: string,
  { name, plan, sharedCapacity }: UpdateOptions,
): Promise<CommandOutcome> {
  const violations = name === undefined ? [] : checkName('name', name);
  if (violations.length > 0) throw invalid(violations);
  const changes = {
    ...(name !== undefined && { name }),
    ...(plan !== undefined && { plan }),
    ...(sharedCapacity !== undefined && { hasSharedCapacity: sharedCapacity === 'on' }),
  };
  if (Object.keys(changes).length === 0) {
    throw new Problem('invalid_request', 'nothing to change: name one of --name, --plan, --shared-capacity');
  }
  return change(terminal, accountId, changes);
}

/** Closing it again keeps the time of the first. */
function close(terminal: Terminal, accountId: string): Promise<CommandOutcome> {
  return change(terminal, accountId, { closedAt: systemClock.now() });
}

function change(terminal: Terminal, accountId: string, changes: AccountChange): Promise<CommandOutcome> {
  return withGateway(terminal, async (gateway) => {
    const { id, closedAt } = await accountOf(gateway, accountId);
    const isClosedAlready = closedAt !== null && typeof changes.closedAt === 'number';
    const changed = await gateway.stores.accounts.changeAccount(id, isClosedAlready ? {} : changes);
    if (changed === undefined) throw new Problem('not_found', `there is no account ${id}`);
    return report(documentOf(changed), linesOf(changed));
  });
}

function documentOf({ id, name, plan, ownerUserId, hasSharedCapacity, createdAt, closedAt }: Account) {
  return {
    account_id: id,
    name,
    plan,
    owner_user_id: ownerUserId,
    shared_capacity: hasSharedCapacity,
    created_at: isoTimestamp(createdAt),
    closed_at: closedAt === null ? null : isoTimestamp(closedAt),
  };
}

function linesOf({ id, name, plan, hasSharedCapacity, closedAt }: Account): string[] {
  return aligned([
    ['account', id],
    ['name', printable(name)],
    ['plan', plan],
    ['shared capacity', hasSharedCapacity ? 'on' : 'off'],
    ['state', closedAt === null ? 'open' : `closed since ${isoTimestamp(closedAt)}; its keys are refused`],
  ]);
}
