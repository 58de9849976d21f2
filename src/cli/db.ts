import type { Command } from 'commander';
import { type Config, readConfig } from '../config.js';
import { databaseState, openDatabase } from '../store/open.js';
import { checksOutcome } from './output/check.js';
import { type Outcome, report } from './output/outcome.js';
import type { CommandLine } from './support/command-line.js';
import { checkDatabase } from './support/database-checks.js';
import { addCopyCommand } from './support/db-copy.js';
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
  addCopyCommand(group, commandLine);
}

async function migrate({ databaseUrl }: Config): Promise<Outcome> {
  const { pending } = await databaseState(databaseUrl);
  await (await openDatabase(databaseUrl)).close();
  const applied = pending.length === 0 ? 'the schema is up to date already' : `applied ${pending.join(', ')}`;
  return report({ applied: pending }, [applied]);
}
