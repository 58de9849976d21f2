import type { Command } from 'commander';
import { isoTimestamp, systemClock } from '../base/clock.js';
import { systemIds } from '../base/ids.js';
import { createOperatorKey, revokeOperatorKey } from '../identity/operator-key.js';
import type { CommandLine, Terminal } from './output/command-line.js';
import { aligned, type CommandOutcome, report } from './output/outcome.js';
import { tableLines } from './output/table.js';
import { withGateway } from './support/with-gateway.js';

/** `byway operator-key create`, `list` and `revoke`. */
export function addOperatorKeyCommands(program: Command, { terminal, print }: CommandLine): void {
  const group = program.command('operator-key');
  group
    .command('create')
    .description('create an operator key; it is shown this once')
    .option('--name <name>', 'its name', 'Operator key')
    .action(async ({ name }: { name: string }) => print(await create(terminal, name)));
  group
    .command('list')
    .description('list the operator keys that are not revoked')
    .action(async () => print(await list(terminal)));
  group
    .command('revoke <hash>')
    .description('end an operator key for good')
    .action(async (hash: string) => print(await revoke(terminal, hash)));
}

function create(terminal: Terminal, name: string): Promise<CommandOutcome> {
  return withGateway(terminal, async ({ stores }) => {
    const dependencies = { store: stores.operatorKeys, clock: systemClock, ids: systemIds };
    const { key, secret } = await createOperatorKey(dependencies, name);
    return report(
      { hash: key.hash, operator_key: secret },
      aligned([
        ['hash', key.hash],
        ['operator key', `${secret}  (shown this once)`],
      ]),
    );
  });
}

function list(terminal: Terminal): Promise<CommandOutcome> {
  return withGateway(terminal, async ({ stores }) => {
    const keys = await stores.operatorKeys.listOperatorKeys();
    const data = keys.map(({ hash, label, name, createdAt }) => {
      return { hash, label, name, created_at: isoTimestamp(createdAt) };
    });
    const rows = data.map(({ hash, label, created_at, name }) => [hash, label, created_at, name]);
    // Not cut to a width: a shortened hash could not be revoked.
    const lines = tableLines(['hash', 'label', 'created', 'name'], rows, Number.POSITIVE_INFINITY);
    return report({ data, total_count: data.length }, lines);
  });
}

function revoke(terminal: Terminal, hash: string): Promise<CommandOutcome> {
  return withGateway(terminal, async ({ stores }) => {
    await revokeOperatorKey({ store: stores.operatorKeys, clock: systemClock }, hash);
    return report({ hash, revoked: true }, [`revoked ${hash}`]);
  });
}
