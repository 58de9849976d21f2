import type { Command } from 'commander';
import { type Config, readConfig } from '../config.js';
import { type Check, checksOutcome } from './output/check.js';
import { operatorMessage } from './output/failure.js';
import type { CommandLine } from './support/command-line.js';
import { checkNode, checkSettings, type Finding, STARTING } from './support/doctor-checks.js';

/** `byway doctor`. */
export function addDoctorCommand(program: Command, { print }: CommandLine): void {
  program.command('doctor').action(async () => print(checksOutcome(await examine())));
}

/** Every check in order. With a configuration that can't be used there is nothing more to look at. */
async function examine(): Promise<Check[]> {
  const checks: Check[] = [
    { name: 'node', ...checkNode() },
    { name: 'settings', ...checkSettings() },
  ];
  let config: Config;
  try {
    config = readConfig();
  } catch (error) {
    return [...checks, { name: 'configuration', ...failed(error) }];
  }
  checks.push({ name: 'configuration', status: 'ok', details: ['every value can be used'] });
  for (const [name, look] of Object.entries(STARTING)) {
    checks.push({ name, ...(await look(config).catch(failed)) });
  }
  return checks;
}

function failed(error: unknown): Finding {
  return { status: 'fail', details: [error instanceof Error ? operatorMessage(error) : String(error)] };
}
