import type { Command } from 'commander';
import { rotateVault } from '../byok/vault/rotation.js';
import type { CommandLine, Terminal } from './output/command-line.js';
import { type CommandOutcome, report } from './output/outcome.js';
import { withGateway } from './support/with-gateway.js';

/** `byway vault rotate`. */
export function addVaultCommands(program: Command, { terminal, print }: CommandLine): void {
  const group = program.command('vault');
  group
    .command('rotate')
    .description('bring every stored credential under the current master key, or under a new one of our own')
    .action(async () => print(await rotate(terminal)));
}

function rotate(terminal: Terminal): Promise<CommandOutcome> {
  return withGateway(terminal, async ({ stores }, config) => {
    const settings = { ...config, dataDirectory: config.dataDir };
    const { masterKeyId, rewrappedCount, unreadable } = await rotateVault(stores.credentials, settings);
    return report(
      { master_key_id: masterKeyId, rewrapped_count: rewrappedCount, unreadable },
      [
        `credentials brought under master key ${masterKeyId}: ${rewrappedCount}`,
        ...unreadable.map((id) => `left as it is, since it can't be opened: ${id}`),
      ],
      unreadable.length > 0,
    );
  });
}
