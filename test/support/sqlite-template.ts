/** A migrated SQLite file for one test run, which tests copy in a fraction of the time. Vitest's global set-up. */
import { constants, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/store/open.js';

/** The environment variable by which the workers know it. */
const VARIABLE = 'BYWAY_TEST_SQLITE_TEMPLATE';

/** Makes it; returns the tear-down function. */
export default async function setUp(): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'byway-template-'));
  const file = join(folder, 'byway.db');
  await (await openDatabase(`sqlite:${file}`)).close();
  process.env[VARIABLE] = file;
  return () => rmSync(folder, { recursive: true });
}

/** Makes a migrated database at the path, which must not exist. Without the set-up none: whoever opens it migrates it. */
export function copyMigrated(file: string): void {
  const template = process.env[VARIABLE];
  if (template !== undefined) copyFileSync(template, file, constants.COPYFILE_EXCL);
}
