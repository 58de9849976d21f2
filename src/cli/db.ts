import type { Command } from 'commander';
import { type Config, databaseUrlOf, readConfig } from '../config.js';
import { copyDatabase } from '../store/maintenance/copy.js';
import type { TableSummary } from '../store/maintenance/table-pages.js';
import { databaseState, openDatabase } from '../store/open.js';
import { checksOutcome } from './output/check.js';
import { type Outcome, report } from './output/outcome.js';
import { tableLines } from './output/table.js';
import type { CommandLine } from './support/command-line.js';
import { checkDatabase } from './support/database-checks.js';
import { namingFiles } from './support/open-gateway.js';

/** `byway db migrate`, `byway db check` and `byway db copy`. */
export function addDbCommands(program: Command, commandLine: CommandLine): void {
  const { print } = commandLine;
  const group = program.command('db');
  group
    .command('migrate')
    .description('make the database and bring its schema up to date, as every start does')
    .action(async () => {
      const config = readConfig();
      print(await namingFiles(config, () => migrate(config)));
    });
  group
    .command('check')
    .description('look for damage and for what cannot be; changes nothing')
    .action(async () => {
      const config = readConfig();
      print(checksOutcome(await namingFiles(config, () => checkDatabase(config))));
    });
  group
    .command('copy')
    .description(
      'copy a whole installation to another, empty database; stop every gateway on the source first',
    )
    .requiredOption('--from <url>', 'the database that is read: sqlite:PATH or postgres://...')
    .requiredOption('--to <url>', 'the database that is filled, fresh from "byway db migrate"')
    .action(async ({ from, to }: { from: string; to: string }) => {
      print(copiedOutcome(await copyDatabase(databaseUrlOf('--from', from), databaseUrlOf('--to', to))));
    });
}

async function migrate({ databaseUrl }: Config): Promise<Outcome> {
  const { pending } = await databaseState(databaseUrl);
  await (await openDatabase(databaseUrl)).close();
  const applied = pending.length === 0 ? 'the schema is up to date already' : `applied ${pending.join(', ')}`;
  return report({ applied: pending }, [applied]);
}

const WIDTH = 120;

/** Every table with its rows, the sums of its money and the digest that both databases have. */
function copiedOutcome(tables: readonly TableSummary[]): Outcome {
  const rows = tables.map(({ table, rows, sumsNanoUsd, digest }) => [
    table,
    String(rows),
    digest.slice(0, 12),
    Object.entries(sumsNanoUsd)
      .map(([column, sum]) => `${column} ${sum}`)
      .join(' '),
  ]);
  const document = tables.map(({ sumsNanoUsd, ...table }) => ({
    ...table,
    sums_nano_usd: Object.fromEntries(Object.entries(sumsNanoUsd).map(([name, sum]) => [name, String(sum)])),
  }));
  return report({ tables: document }, [
    ...tableLines(['table', 'rows', 'digest', 'sums in nano-USD'], rows, WIDTH),
    'copied; rows, sums and digests of the target are those of the source',
  ]);
}
