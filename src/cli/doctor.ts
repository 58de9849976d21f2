import type { Command } from 'commander';
import { type Config, readConfig } from '../config/config.js';
import {
  type CheckResult,
  checkBilling,
  checkNode,
  checkSettings,
  START_CHECKS,
} from './checks/doctor-checks.js';
import { checksOutcome, type DoctorCheck } from './output/check.js';
import type { CommandLine } from './output/command-line.js';
import { operatorMessage } from './output/failure.js';

/** `byway doctor`. */
export function addDoctorCommand(program: Command, { print }: CommandLine): void {
  program.command('doctor').action(async () => print(checksOutcome(await examine())));
}

/** Runs every check in order. With an unusable configuration the later ones can't run. */
async function examine(): Promise<DoctorCheck[]> {
  const checks: DoctorCheck[] = [
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
  for (const [name, check] of Object.entries(START_CHECKS)) {
    checks.push({ name, ...(await check(config).catch(failed)) });
  }
  if (!config.isBilled) checks.push({ name: 'billing', ...(await checkBilling(config).catch(failed)) });
  return checks;
}

function failed(error: unknown): CheckResult {
  return { status: 'fail', details: [error instanceof Error ? operatorMessage(error) : String(error)] };
}
