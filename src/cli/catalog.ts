import type { Command } from 'commander';
import { admittedNameWarnings } from '../catalog/admitted-names.js';
import { type ImportSummary, importCatalog } from '../catalog/import.js';
import { formatNative } from '../catalog/native.js';
import { unservableEndpoints } from '../catalog/servable.js';
import { readConfig } from '../config.js';
import { type Outcome, report } from './output/outcome.js';
import { tableLines } from './output/table.js';
import type { CommandLine, Terminal } from './support/command-line.js';
import { fetchText } from './support/fetch-text.js';
import { readNamedFile } from './support/read-file.js';
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
    .action(async () => print(await exportNative(terminal)));
  group
    .command('check')
    .description('list the endpoints whose formats nothing here can serve, and names that may be mistyped')
    .action(async () => print(await checkServable(terminal)));
}

async function importFrom(terminal: Terminal, source: string, merge: boolean): Promise<Outcome> {
  const text = /^https?:\/\//i.test(source)
    ? await fetchText(source, readConfig().proxies)
    : await readNamedFile(source);
  return withGateway(terminal, async ({ stores }) => {
    const summary = await importCatalog(stores.catalog, text, { merge });
    return report({ ...summary }, summaryLines(summary));
  });
}

function exportNative(terminal: Terminal): Promise<Outcome> {
  return withGateway(terminal, async ({ stores }) => {
    const text = formatNative(await stores.catalog.load());
    return { text, json: text, failed: false };
  });
}

function checkServable(terminal: Terminal): Promise<Outcome> {
  return withGateway(terminal, async ({ stores }) => {
    const file = await stores.catalog.load();
    const unservable = unservableEndpoints(file).map(({ id, modelId, provider, formats }) => ({
      endpoint: id,
      model: modelId,
      provider,
      formats,
    }));
    const warnings = admittedNameWarnings(file);
    const ok = unservable.length === 0;
    const rows = unservable.map(({ endpoint, formats }) => [endpoint, formats.join(', ')]);
    const lines = ok ? ['every endpoint can be served'] : tableLines(['endpoint', 'formats'], rows, WIDTH);
    const told = warnings.length === 0 ? {} : { warnings };
    return report({ ok, unservable, ...told }, [...lines, ...warnings.map(warningLine)], !ok);
  });
}

function warningLine(warning: string): string {
  return `warning: ${warning}`;
}

const WIDTH = 100;

function summaryLines(summary: ImportSummary): string[] {
  const { format, providers, models, endpoints, retired, skipped, warnings } = summary;
  return [
    `imported ${providers} providers, ${models} models and ${endpoints} endpoints (${format} format)`,
    ...(retired.length === 0 ? [] : [`retired ${retired.length} models: ${retired.join(', ')}`]),
    ...Object.entries(skipped).map(([reason, count]) => `skipped ${count} endpoints: ${reason}`),
    ...warnings.map(warningLine),
  ];
}
