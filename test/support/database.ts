import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { onTestFinished } from 'vitest';
import type { Database } from '../../src/store/database/database.js';
import { openDatabase } from '../../src/store/open.js';
import { directSetting, directUrlOf } from './postgres/pgbouncer.js';
import { databaseOn, postgresAccess } from './postgres/postgres-access.js';
import { type DatabaseKind, usualKind } from './postgres/usual-kind.js';
import { copyMigrated } from './sqlite-template.js';

export { type DatabaseKind, usualKind } from './postgres/usual-kind.js';

/** The kind of database of this test run, for `describe.each`. */
export const DATABASE_KINDS: readonly DatabaseKind[] = [usualKind()];

/** A database of a test's own. */
export interface TestDatabase {
  readonly url: string;
  remove(): Promise<void>;
}

/** A new migrated database; closed and removed after the test. */
export async function withDatabase(kind = usualKind()): Promise<Database> {
  return openDuringTest(await temporaryDatabaseUrl(kind));
}

/** Another connection to the URL, like that of another process; closed after the test. */
export async function openDuringTest(url: string): Promise<Database> {
  const database = await openDatabase(url, optionsFor(url));
  onTestFinished(() => database.close());
  return database;
}

/** How a URL of this test run is opened. */
export function optionsFor(url: string): { readonly directUrl: string | null } {
  return { directUrl: directSetting(url).BYWAY_DATABASE_DIRECT_URL ?? null };
}

/** The URL of a migrated database of its own, removed when the test is over. */
export async function temporaryDatabaseUrl(kind = usualKind()): Promise<string> {
  const { url, remove } = await makeDatabase(kind);
  onTestFinished(remove);
  return url;
}

/** The URL of a database without any table; on SQLite without even a file. */
export async function emptyDatabaseUrl(kind = usualKind()): Promise<string> {
  const { url, remove } = kind === 'sqlite' ? sqliteFile() : await postgresDatabase('template0');
  onTestFinished(remove);
  return url;
}

/** A migrated database that several tests share; whoever makes it removes it. */
export async function makeDatabase(kind = usualKind()): Promise<TestDatabase> {
  if (kind === 'postgres') return usedAgain();
  const { url, remove } = sqliteFile();
  copyMigrated(url.slice('sqlite:'.length));
  return { url, remove };
}

/** It does not exist yet. */
function sqliteFile(): TestDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'byway-test-'));
  return {
    url: `sqlite:${join(folder, 'byway.db')}`,
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Unused databases: emptying one takes a tenth of the time of creating one. */
const free: TestDatabase[] = [];

async function usedAgain(): Promise<TestDatabase> {
  const database = free.pop() ?? (await postgresDatabase((await postgresAccess()).template));
  const before = await administer(database.url, COLUMNS);
  return {
    url: database.url,
    async remove() {
      // A test that has changed the schema keeps it to itself.
      if ((await administer(database.url, COLUMNS)) !== before) return database.remove();
      await administer(database.url, EMPTY);
      free.push(database);
    },
  };
}

/** The schema, as far as statements depend on it. */
const COLUMNS = `select string_agg(concat_ws(' ', table_name, column_name, data_type), ',' order by table_name, column_name)
  as text from information_schema.columns where table_schema = current_schema()`;

/** Closes remaining connections, and restores the database to its migrated state. */
const EMPTY = `
  select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid();
  set session_replication_role = replica;
  do $$ declare name text; begin
    for name in select tablename from pg_tables where schemaname = current_schema()
      and tablename not in ('schema_migration', 'revision')
    loop execute format('delete from %I', name); end loop;
    update revision set value = 0;
  end $$;
`;

let made = 0;

/** Closes remaining connections. */
async function postgresDatabase(template: string): Promise<TestDatabase> {
  const { url, prefix } = await postgresAccess();
  const name = `${prefix}${process.pid}_${++made}`;
  await administer(url, `create database ${name} template ${template}`);
  return {
    url: databaseOn(url, name),
    remove: async () => void (await administer(url, `drop database ${name} with (force)`)),
  };
}

/** The value of the column `text` in the first row, where there is one. */
async function administer(url: string, statement: string): Promise<string | undefined> {
  const client = new Client(directUrlOf(url) ?? url);
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query<{ text: string }>(statement).finally(() => client.end());
  return rows?.[0]?.text;
}
