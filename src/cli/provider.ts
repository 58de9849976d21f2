import type { Command } from 'commander';
import { systemClock } from '../base/clock.js';
import { setSharedCredential } from '../byok/operator-credential.js';
import { createVault } from '../byok/vault/vault.js';
import { type Outcome, report } from './output/outcome.js';
import { type ProbeOptions, probeProvider } from './provider-probe.js';
import { acceptUnreadableOption, refuseMasterKeyMismatch } from './start/unreadable-credentials.js';
import type { CommandLine, Terminal } from './support/command-line.js';
import { readCredential } from './support/read-credential.js';
import { withGateway } from './support/with-gateway.js';

/** `byway provider set-key` and `byway provider probe`. */
export function addProviderCommands(program: Command, { terminal, print }: CommandLine): void {
  const group = program.command('provider');
  group
    .command('set-key')
    .description("store the credential of a provider's shared capacity, read from standard input")
    .argument('<provider>', "the provider's slug")
    .addOption(acceptUnreadableOption())
    .action(async (provider: string, { acceptUnreadable = false }: { acceptUnreadable?: boolean }) =>
      print(await setKey(terminal, provider, acceptUnreadable)),
    );
  group
    .command('probe')
    .description(
      'make a dozen cheap calls with a real account, and say where the provider differs from what is expected',
    )
    .argument('<provider>', "the provider's slug")
    .option('--model <model>', 'the model to ask; the cheapest by default')
    .option(
      '--key-from-stdin',
      'with the credential that standard input has, instead of the stored shared one',
    )
    .action(async (provider: string, options: ProbeOptions) =>
      print(await probeProvider(terminal, provider, options)),
    );
}

async function setKey(terminal: Terminal, provider: string, acceptUnreadable: boolean): Promise<Outcome> {
  const text = await readCredential(terminal);
  return withGateway(terminal, async ({ stores, masterKeys, router }, config) => {
    if (!acceptUnreadable) await refuseMasterKeyMismatch(stores.credentials, config, masterKeys);
    const { providers } = await router.catalogs.current();
    const label = await setSharedCredential(
      {
        store: stores.credentials,
        vault: createVault(masterKeys.keys),
        providers: { adapterOf: (slug) => providers.get(slug)?.adapter, slugs: () => providers.keys() },
        rules: { allowPrivateUpstreams: config.allowPrivateUpstreams },
        clock: systemClock,
      },
      provider,
      text,
    );
    return report({ provider, label }, [`stored ${label} for ${provider}`]);
  });
}
