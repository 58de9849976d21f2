import type { Command } from 'commander';
import { systemClock } from '../base/clock.js';
import { invalid } from '../base/problem.js';
import { trimEnd } from '../base/trim-end.js';
import { setSharedCredential } from '../byok/shared-credential.js';
import { createVault } from '../byok/vault/vault.js';
import { type Outcome, report } from './output/outcome.js';
import { acceptUnreadableOption, refuseMasterKeyMismatch } from './start/unreadable-credentials.js';
import type { CommandLine, Terminal } from './support/command-line.js';
import { withGateway } from './support/with-gateway.js';

/** `byway provider set-key`. */
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

/** More than any credential; longer input is refused. */
const MAX_BYTES = 1024 * 1024;

/** Standard input without trailing line breaks. Throws a 400 Problem when it is empty or too long. */
async function readCredential({ stdin, stderr }: Terminal): Promise<string> {
  if (stdin.isTTY) stderr.write('Type or paste the credential, then press Enter and Ctrl-D.\n');
  const chunks: Buffer[] = [];
  let count = 0;
  for await (const chunk of stdin) {
    chunks.push(chunk);
    count += chunk.length;
    if (count > MAX_BYTES) throw violation('too_long', 'is longer than any credential');
  }
  const text = trimEnd(Buffer.concat(chunks).toString('utf8'), '\r\n');
  if (text === '') {
    throw violation(
      'required',
      'is empty; send the credential there, as in: byway provider set-key NAME < FILE',
    );
  }
  return text;
}

function violation(rule: string, message: string) {
  return invalid([{ field: 'standard input', rule, message }]);
}
