import type { Command } from 'commander';
import { headerContext } from '../byok/keys/host-headers.js';
import { createVault } from '../byok/vault/vault.js';
import { unservableEndpoints } from '../catalog/assembled/servable.js';
import type { SealHeader } from '../catalog/assembled/store.js';
import { allowedNameWarnings } from '../catalog/importing/admitted-names.js';
import type { EntryChange, MemberChange } from '../catalog/importing/changes.js';
import { type ImportSummary, importCatalog } from '../catalog/importing/import.js';
import { formatNative } from '../catalog/native/native.js';
import { type PriceFinding, suspiciousPrices } from '../catalog/prices/suspicious.js';
import { unpricedEndpoints } from '../catalog/prices/unpriced.js';
import type { Provider } from '../catalog/types.js';
import type { Gateway } from '../compose/gateway.js';
import { readConfig } from '../config/config.js';
import type { CommandLine, Terminal } from './output/command-line.js';
import { type CommandOutcome, report } from './output/outcome.js';
import { printable, tableLines } from './output/table.js';
import { fetchText } from './support/fetch-text.js';
import { readNamedFile } from './support/read-file.js';
import { findingLines, namingVoided } from './support/rule-findings.js';
import { withGateway } from './support/with-gateway.js';

/** `byway catalog import`, `byway catalog export` and `byway catalog check`. */
export function addCatalogCommands(program: Command, { terminal, print }: CommandLine): void {
  const group = program.command('catalog');
  group
    .command('import')
    .description('replace the catalogue by a native file or the public models.dev shape, whole or not at all')
    .argument('<file|url>', 'where it is')
    .option('--merge', 'add and update only; keep what it lacks')
    .action(async (source: string, { merge = false }: { merge?: boolean }) =>
      print(await importFrom(terminal, source, merge)),
    );
  group
    .command('export')
    .description('print the catalogue as a native file')
    .option('--secrets', "with the values of providers' headers, which are left out otherwise")
    .action(async ({ secrets = false }: { secrets?: boolean }) =>
      print(await exportNative(terminal, secrets)),
    );
  group
    .command('check')
    .description('list the endpoints whose formats nothing here can serve, and names that may be mistyped')
    .option('--prices', 'also list prices that look wrong, and what endpoints pass on and have no price for')
    .action(async ({ prices = false }: { prices?: boolean }) => print(await check(terminal, prices)));
}

async function importFrom(terminal: Terminal, source: string, merge: boolean): Promise<CommandOutcome> {
  const text = /^https?:\/\//i.test(source)
    ? await fetchText(source, readConfig().proxies)
    : await readNamedFile(source);
  return withGateway(terminal, async (gateway, { regionHosts }) => {
    const { stores, masterKeys } = gateway;
    const vault = createVault(masterKeys.keys);
    const sealHeader: SealHeader = (provider, name, value) =>
      vault.seal(value, headerContext(provider, name));
    const [summary, voided] = await namingVoided(gateway, regionHosts.values(), () =>
      importCatalog(stores.catalog, text, { merge, sealHeader }),
    );
    const moved = await movedSecrets(gateway, summary);
    const told = { ...(voided.length > 0 && { voided }), ...(moved.length > 0 && { moved_secrets: moved }) };
    return report({ ...summary, ...told }, [
      ...summaryLines(summary),
      ...moved.map(({ provider, to }) =>
        warningLine(`what is stored for ${provider} (key, headers) goes to ${to} from now on`),
      ),
      ...findingLines(voided).map(warningLine),
    ]);
  });
}

/** Providers whose stored key or headers go to another host than before. */
async function movedSecrets(
  { stores, credentials }: Pick<Gateway, 'stores' | 'credentials'>,
  { changed = [] }: ImportSummary,
): Promise<readonly { readonly provider: string; readonly to: string }[]> {
  const shared = await credentials.sharedByProvider();
  const { providers } = await stores.catalog.load();
  const holders = new Set([
    ...shared.keys(),
    ...providers.filter(({ headers = {} }) => Object.keys(headers).length > 0).map(({ slug }) => slug),
  ]);
  return changed.flatMap(({ entry, name, members }) => {
    if (entry !== 'provider' || !holders.has(name)) return [];
    const url = members.find(({ member }) => member === 'base_url');
    if (typeof url?.to !== 'string' || originOf(url.from) === originOf(url.to)) return [];
    return [{ provider: name, to: originOf(url.to) }];
  });
}

/** Of a URL that may have placeholders in its host, which is shown as it is. */
function originOf(url: unknown): string {
  return /^\w+:\/\/[^/]*/.exec(String(url))?.[0] ?? '';
}

function exportNative(terminal: Terminal, withSecrets: boolean): Promise<CommandOutcome> {
  return withGateway(terminal, async ({ stores, credentials }) => {
    const file = await stores.catalog.load();
    const opened = async (provider: Provider): Promise<Provider> => {
      const headers = await credentials.headersOf(provider);
      return headers === undefined ? provider : { ...provider, headers: headers.values };
    };
    const providers = withSecrets ? await Promise.all(file.providers.map(opened)) : file.providers;
    const text = formatNative({ ...file, providers }, true);
    return { text, json: text, failed: false };
  });
}

/**
 * A price that looks wrong fails unless the catalogue has a note of it. What has no price is listed and fails nothing: it is
 * billed, at a more general price or not at all.
 */
function check(terminal: Terminal, isOfPrices: boolean): Promise<CommandOutcome> {
  return withGateway(terminal, async ({ stores }) => {
    const file = await stores.catalog.load();
    const unservable = unservableEndpoints(file).map(({ id, modelId, provider, formats }) => ({
      endpoint: id,
      model: modelId,
      provider,
      formats,
    }));
    const warnings = allowedNameWarnings(file);
    const prices = isOfPrices ? suspiciousPrices(file) : [];
    const isServable = unservable.length === 0;
    const ok = isServable && prices.every(({ note }) => note !== null);
    const rows = unservable.map(({ endpoint, formats }) => [endpoint, formats.join(', ')]);
    const lines = isServable
      ? ['every endpoint can be served']
      : tableLines(['endpoint', 'formats'], rows, WIDTH);
    const told = warnings.length === 0 ? {} : { warnings };
    const unpriced = isOfPrices ? unpricedEndpoints(file) : [];
    const document = { ok, unservable, ...told, ...(isOfPrices && { prices, unpriced }) };
    const unpricedLines = unpriced.map(
      ({ endpoint, missing }) => `no price: ${endpoint}: ${missing.join(', ')}`,
    );
    const findings = prices.map(findingLine);
    return report(document, [...lines, ...warnings.map(warningLine), ...findings, ...unpricedLines], !ok);
  });
}

function findingLine({ endpoint, key, expected, found, note }: PriceFinding): string {
  const line = `${endpoint}: ${key} is ${found ?? 'missing'}, expected ${expected ?? 'none'}`;
  return printable(note === null ? `wrong price? ${line}` : `noted: ${line}: ${note}`);
}

function warningLine(warning: string): string {
  return `warning: ${warning}`;
}

const WIDTH = 100;

function summaryLines(summary: ImportSummary): string[] {
  const { format, providers, models, endpoints, retired, renamed = {}, skipped, warnings } = summary;
  const { changed = [], kept = [], invalid } = summary;
  return [
    `imported ${providers} providers, ${models} models and ${endpoints} endpoints (${format} format)`,
    ...(retired.length === 0 ? [] : [`retired ${retired.length} models: ${retired.join(', ')}`]),
    ...Object.entries(renamed).map(([from, to]) => `renamed ${from} to ${to}; the old id is an alias`),
    ...Object.entries(skipped).map(([reason, count]) => `skipped ${count} endpoints: ${reason}`),
    ...invalidLines(invalid),
    ...changed.map(
      (change) => `changed ${changeLine(change, ({ from, to }) => `${shown(from)} -> ${shown(to)}`)}`,
    ),
    ...kept.map(
      (change) => `kept yours: ${changeLine(change, ({ from, to }) => `${shown(from)}, not ${shown(to)}`)}`,
    ),
    ...warnings.map(warningLine),
  ];
}

function invalidLines(invalid: ImportSummary['invalid']): string[] {
  if (invalid === undefined) return [];
  const { count, first } = invalid;
  const named = first.map(({ field, message }) => `  ${field.slice(0, MAX_SHOWN)}: ${message}`);
  const more = count > first.length ? [`  and ${count - first.length} more`] : [];
  return [`left out ${count} entries that are not as they should be:`, ...named, ...more].map(printable);
}

function changeLine({ entry, name, members }: EntryChange, show: (change: MemberChange) => string): string {
  return printable(`${entry} ${name}: ${members.map((one) => `${one.member} ${show(one)}`).join(', ')}`);
}

/** Characters of a value in a line; the JSON has all. */
const MAX_SHOWN = 120;

function shown(value: unknown): string {
  if (value === null) return 'none';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}...`;
}
