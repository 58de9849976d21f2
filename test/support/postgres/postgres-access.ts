import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The environment variable for the folder through which workers request the server. */
export const FOLDER_VARIABLE = 'BYWAY_TEST_POSTGRES_FOLDER';

/** The file that requests the server. */
export const WANTED = 'wanted';

/** A PostgreSQL server for test databases. */
export interface PostgresAccess {
  /** Of a user who may create databases. */
  readonly url: string;
  /** The name of a migrated database that nobody is connected to. */
  readonly template: string;
  /** The prefix of the run's databases. */
  readonly prefix: string;
}

/** Whether this test run has PostgreSQL. */
export function hasPostgres(): boolean {
  return process.env[FOLDER_VARIABLE] !== undefined;
}

/** Waits for the server of the test run, which the first call starts. */
export async function postgresAccess(): Promise<PostgresAccess> {
  const folder = process.env[FOLDER_VARIABLE];
  if (folder === undefined) throw new Error('this test run has no PostgreSQL');
  const [ready, failed] = [join(folder, 'ready'), join(folder, 'failed')];
  if (!existsSync(ready)) writeFileSync(join(folder, WANTED), '');
  while (!existsSync(ready)) {
    if (existsSync(failed)) throw new Error(`PostgreSQL did not start: ${readFileSync(failed, 'utf8')}`);
    await sleep(20);
  }
  return JSON.parse(readFileSync(ready, 'utf8'));
}

/** The URL of another database on the same server. */
export function databaseOn(url: string, database: string): string {
  const there = new URL(url);
  there.pathname = `/${database}`;
  return there.href;
}
