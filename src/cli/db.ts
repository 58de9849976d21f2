import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { isoTimestamp, systemClock } from '../base/clock.js';
import { type Config, ConfigError, databaseUrlOf, isDatabaseServer, readConfig } from '../config/config.js';
import { copyDatabase } from '../store/copy.js';
import type { TableSummary } from '../store/maintenance/table-pages.js';
import { type TableStats, tableStats } from '../store/maintenance/table-stats.js';
import { backupDatabase, databaseState, openDatabase } from '../store/open.js';
import { checkDatabase } from './checks/database-checks.js';
import { checksOutcome } from './output/check.js';
import type { CommandLine } from './output/command-line.js';
import { operatorMessage } from './output/failure.js';
import { type CommandOutcome, report } from './output/outcome.js';
import { tableLines } from './output/table.js';
import { namingFiles } from './support/open-gateway.js';

/** `byway db migrate`, `byway db check`, `byway db stats`, `byway db backup` and `byway db copy`. */
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
    .command('stats')
    .description('how large each table is, how old, and how fast it grows; changes nothing')
    .action(async () => {
      const config = readConfig();
      print(statsOutcome(await namingFiles(config, () => readStats(config))));
    });
  group
    .command('backup')
    .description('copy the SQLite database to a new file, also beside a running server, and check the copy')
    .argument('<file>', 'the file to make; one that exists is never overwritten')
    .action(async (file: string) => {
      const config = readConfig();
      print(await namingFiles(config, () => backup(config, resolve(file))));
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

async function migrate({ databaseUrl, databaseDirectUrl: directUrl }: Config): Promise<CommandOutcome> {
  const { pending } = await databaseState(databaseUrl, { directUrl });
  await (await openDatabase(databaseUrl, { directUrl })).close();
  const applied = pending.length === 0 ? 'the schema is up to date already' : `applied ${pending.join(', ')}`;
  return report({ applied: pending }, [applied]);
}

/** Throws ConfigError where there is nothing to copy, or no place for the copy. */
async function backup(config: Config, file: string): Promise<CommandOutcome> {
  if (isDatabaseServer(config.databaseUrl)) {
    throw new ConfigError(
      'BYWAY_DATABASE_URL: "byway db backup" is for SQLite; back a PostgreSQL database up with pg_dump',
    );
  }
  const { exists } = await databaseState(config.databaseUrl);
  if (!exists) throw new ConfigError('BYWAY_DATABASE_URL: there is no database yet; a start makes it');
  try {
    await backupDatabase(config.databaseUrl, file);
  } catch (error) {
    throw unusableFile(file, error);
  }
  const checks = await checkDatabase({ ...config, databaseUrl: `sqlite:${file}` });
  const bytes = statSync(file).size;
  const { failed, text, json } = checksOutcome(checks);
  return {
    failed,
    json: `${JSON.stringify({ file, bytes, ...JSON.parse(json) })}\n`,
    text: failed
      ? `${text}${file} is a copy of a database in which not all is as it must be\n`
      : `${file}: ${sizeText(bytes)}, checked. The master key is not in it: keep it apart.\n`,
  };
}

/**
 * Explains errors about the file that the operator has named; other errors, of the database, are passed on unchanged.
 */
function unusableFile(file: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, syscall }: NodeJS.ErrnoException = error;
  if (code === 'EEXIST') return new ConfigError(`${file} exists already; a backup overwrites nothing`);
  return syscall === undefined ? error : new ConfigError(`FILE: ${operatorMessage(error)}`);
}

async function readStats({ databaseUrl, databaseDirectUrl: directUrl }: Config): Promise<TableStats[]> {
  const { exists, pending } = await databaseState(databaseUrl, { directUrl });
  if (!exists || pending.length > 0) {
    throw new ConfigError(
      'BYWAY_DATABASE_URL: the database is not up to date; "byway db migrate" brings it there',
    );
  }
  const database = await openDatabase(databaseUrl, { directUrl });
  return tableStats(database, systemClock.now()).finally(() => database.close());
}

function statsOutcome(tables: readonly TableStats[]): CommandOutcome {
  const document = tables.map(({ table, rows, bytes, oldest, rowsADay }) => ({
    table,
    rows,
    bytes,
    oldest: oldest === null ? null : isoTimestamp(oldest),
    rows_a_day: rowsADay === null ? null : Math.round(rowsADay),
    bytes_a_day: rowsADay === null || rows === 0 ? null : Math.round((rowsADay * bytes) / rows),
  }));
  const lines = document.map((row) => [
    row.table,
    String(row.rows),
    sizeText(row.bytes),
    row.oldest?.slice(0, 10) ?? '',
    row.rows_a_day === null ? '' : String(row.rows_a_day),
    row.bytes_a_day === null ? '' : sizeText(row.bytes_a_day),
  ]);
  const bytes = tables.reduce((sum, table) => sum + table.bytes, 0);
  return report({ tables: document, bytes }, [
    ...tableLines(['table', 'rows', 'size', 'oldest', 'rows a day', 'growth a day'], lines, WIDTH),
    `${sizeText(bytes)} in all; growth is that of the last 7 days`,
  ]);
}

function sizeText(bytes: number): string {
  return `${(bytes / 1e6).toFixed(bytes < 1e7 ? 2 : 0)} MB`;
}

const WIDTH = 120;

/** Every table with its rows, the sums of its money and the digest that both databases have. */
function copiedOutcome(tables: readonly TableSummary[]): CommandOutcome {
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
