import type { Command } from 'commander';
import { isoTimestamp, systemClock } from '../base/clock.js';
import { systemIds } from '../base/ids.js';
import { Problem } from '../base/problem.js';
import { createManagementKey, revokeManagementKey } from '../identity/management-key.js';
import type { CommandLine, Terminal } from './output/command-line.js';
import { aligned, type CommandOutcome, report } from './output/outcome.js';
import { tableLines } from './output/table.js';
import { accountOf } from './support/operator.js';
import { withGateway } from './support/with-gateway.js';

interface AccountOption {
  readonly account: string;
}

/** `byway management-key create`, `list` and `revoke`. */
export function addManagementKeyCommands(program: Command, { terminal, print }: CommandLine): void {
  const group = program.command('management-key');
  const command = (nameAndArgs: string, description: string) =>
    group
      .command(nameAndArgs)
      .description(description)
      .requiredOption('--account <account_id>', 'the account');
  command('create', 'create a management key; it is shown this once')
    .option('--name <name>', 'its name', 'Management key')
    .action(async ({ account, name }: AccountOption & { name: string }) =>
      print(await create(terminal, account, name)),
    );
  command('list', 'list the management keys that are not revoked').action(
    async ({ account }: AccountOption) => print(await list(terminal, account)),
  );
  command('revoke <hash>', 'end a management key for good').action(
    async (hash: string, { account }: AccountOption) => print(await revoke(terminal, account, hash)),
  );
}

function create(terminal: Terminal, accountId: string, name: string): Promise<CommandOutcome> {
  return withGateway(terminal, async (gateway) => {
    const { id } = await accountOf(gateway, accountId);
    const dependencies = { store: gateway.stores.managementKeys, clock: systemClock, ids: systemIds };
    const { key, secret } = await createManagementKey(dependencies, id, name);
    return report(
      { hash: key.hash, management_key: secret },
      aligned([
        ['hash', key.hash],
        ['management key', `${secret}  (shown this once)`],
      ]),
    );
  });
}

function list(terminal: Terminal, accountId: string): Promise<CommandOutcome> {
  return withGateway(terminal, async (gateway) => {
    const { id } = await accountOf(gateway, accountId);
    const keys = await gateway.stores.managementKeys.listManagementKeys(id);
    const data = keys.map(({ hash, label, name, createdAt }) => ({
      hash,
      label,
      name,
      created_at: isoTimestamp(createdAt),
    }));
    const rows = data.map(({ hash, label, created_at, name }) => [hash, label, created_at, name]);
    // Not cut to a width: a shortened hash could not be revoked.
    const lines = tableLines(['hash', 'label', 'created', 'name'], rows, Number.POSITIVE_INFINITY);
    return report({ data, total_count: data.length }, lines);
  });
}

function revoke(terminal: Terminal, accountId: string, hash: string): Promise<CommandOutcome> {
  return withGateway(terminal, async (gateway) => {
    const { id } = await accountOf(gateway, accountId);
    const store = gateway.stores.managementKeys;
    const keys = await store.listManagementKeys(id);
    if (!keys.some((key) => key.hash === hash)) {
      throw new Problem('not_found', `account ${id} has no management key ${hash}`);
    }
    await revokeManagementKey({ store, clock: systemClock }, id, hash);
    return report({ hash, revoked: true }, [`revoked ${hash}`]);
  });
}
