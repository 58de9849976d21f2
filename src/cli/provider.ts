import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { systemClock } from '../base/clock.js';
import { setSharedCredential } from '../byok/keys/operator-credential.js';
import { createVault } from '../byok/vault/vault.js';
import { NOTICED_AFTER_MS } from '../store/database/revisions.js';
import type { CommandLine, Terminal } from './output/command-line.js';
import { type CommandOutcome, report } from './output/outcome.js';
import { type ProbeOptions, probeProvider } from './provider-probe.js';
import { addProvider } from './providers/add.js';
import { listProviders } from './providers/list.js';
import type { AddOptions } from './providers/options.js';
import { removeProvider } from './providers/remove.js';
import { acceptUnreadableOption, refuseMasterKeyMismatch } from './start/unreadable-credentials.js';
import { readCredential } from './support/read-credential.js';
import { withGateway } from './support/with-gateway.js';

/** `byway provider add`, `list`, `remove`, `set-key` and `probe`. */
export function addProviderCommands(program: Command, { terminal, print }: CommandLine): void {
  const group = program.command('provider');
  group
    .command('add')
    .description(
      'add a provider of your own, or change it: asks the host for its models, and has one answer a chat',
    )
    .argument('<slug>', 'its name here, before the names of its models')
    .requiredOption('--url <url>', 'the address of its API, as in http://localhost:11434')
    .option('--adapter <adapter>', 'its protocol: openai (the default) or anthropic')
    .option('--name <name>', 'as it is shown; the slug by default')
    .option('--no-key', 'the host takes none; its models are free unless --price is given')
    .option('--key-from-stdin', 'with the key that standard input has')
    .option('--models <ids>', "the host's names with commas between; all by default")
    .option('--header <header>', 'sent with every call, as "Name: value"; repeatable', collect, [])
    .option('--price <in,out>', 'USD per million tokens, of prompts and of answers')
    .option('--free', 'shared capacity costs nothing')
    .action(async (slug: string, options: AddOptions) => print(await addProvider(terminal, slug, options)));
  group
    .command('list')
    .description('list every provider: whose it is, where, and how many models it has')
    .action(async () => print(await listProviders(terminal)));
  group
    .command('remove')
    .description('remove a provider of your own, with its models, its key and its headers')
    .argument('<slug>', 'its slug')
    .action(async (slug: string) => print(await removeProvider(terminal, slug)));
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

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** Ends once running servers use it, since the next command is a request. */
async function setKey(
  terminal: Terminal,
  provider: string,
  acceptUnreadable: boolean,
): Promise<CommandOutcome> {
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
    await sleep(NOTICED_AFTER_MS);
    return report({ provider, label }, [`stored ${label} for ${provider}`]);
  });
}
