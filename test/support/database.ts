import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Database } from '../../src/store/database.js';
import { openDatabase } from '../../src/store/open.js';

/** A migrated database in a file of its own; closed and removed when the test that asked for it is over. */
export async function withDatabase(): Promise<Database> {
  return openDuringTest(temporaryDatabaseUrl());
}

/** One more handle on the URL, as a further process would have it; closed when the test is over. */
export async function openDuringTest(url: string): Promise<Database> {
  const database = await openDatabase(url);
  onTestFinished(() => database.close());
  return database;
}

/** The URL of a database file that does not exist yet; its folder goes when the test is over. */
export function temporaryDatabaseUrl(): string {
  const folder = mkdtempSync(join(tmpdir(), 'byway-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return `sqlite:${join(folder, 'byway.db')}`;
}
