import type { Command } from 'commander';
import { databaseUrlOf } from '../../config.js';
import { copyDatabase } from '../../store/maintenance/copy.js';
import type { TableSummary } from '../../store/maintenance/table-pages.js';
import { type Outcome, report } from '../output/outcome.js';
import { tableLines } from '../output/table.js';
import type { CommandLine } from './command-line.js';

/** `byway db copy`. */
export function addCopyCommand(group: Command, { print }: CommandLine): void {
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
