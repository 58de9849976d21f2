import type { Command } from 'commander';
import { systemClock } from '../base/clock.js';
import { systemIds } from '../base/ids.js';
import { createKey } from '../keys/create-key.js';
import { usdAmount } from './amount.js';
import type { CommandLine, Terminal } from './command-line.js';
import { accountOf, operatorOf } from './operator.js';
import { aligned, type Outcome, said } from './outcome.js';
import { withGateway } from './with-gateway.js';

interface NewKeyOptions {
  readonly account: string;
  readonly name: string;
  readonly user?: string;
  readonly limit?: string;
}

/** `byway key create`. */
export function addKeyCommands(program: Command, { terminal, print }: CommandLine): void {
  const group = program.command('key').description('API keys');
  group
    .command('create')
    .description("create an API key in an account's default workspace; it is shown this once")
    .requiredOption('--account <account_id>', 'the account')
    .requiredOption('--name <name>', 'its name')
    .option('--user <user_id>', "the member that its requests count for (default: the account's owner)")
    .option('--limit <usd>', 'what it may spend in all')
    .action(async (options: NewKeyOptions) => print(await create(terminal, options)));
}

function create(terminal: Terminal, { account, name, user, limit }: NewKeyOptions): Promise<Outcome> {
  const limitNanoUsd = limit === undefined ? null : usdAmount('limit', limit);
  return withGateway(terminal, async (gateway) => {
    const { keys, usage } = gateway.stores;
    const { record, secret } = await createKey(
      { store: keys, usage, clock: systemClock, ids: systemIds },
      operatorOf(await accountOf(gateway, account)),
      {
        name,
        limitNanoUsd,
        limitReset: null,
        includeByokInLimit: false,
        expiresAt: null,
        workspaceId: null,
        creatorUserId: user ?? null,
      },
    );
    const { hash } = record.key;
    return said(
      { hash, key: secret },
      aligned([
        ['hash', hash],
        ['key', `${secret}  (shown this once)`],
      ]),
    );
  });
}
