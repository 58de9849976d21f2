import type { Kysely, Transaction } from 'kysely';
import { systemClock } from '../../base/clock.js';
import type { Engine } from '../engine/engine.js';
import type { Tables } from '../schema/schema.js';
import type { Migration } from './migration.js';

/** The migrations that were applied. No other file uses this table. */
type MigrationTables = { schema_migration: { name: string; applied_at: number } };

/**
 * Applies the pending migrations in order, in one transaction: a failure leaves the database as it was. Of several
 * processes that start at once, the later ones wait and find nothing pending. Throws when the database is too new,
 * since its schema may lack what this version needs.
 */
export async function migrate(engine: Engine, migrations: readonly Migration[]): Promise<void> {
  const apply = async (tx: Transaction<Tables>) => {
    const db = tx.withTables<MigrationTables>();
    const applied = await appliedNames(db);
    const known = new Set(migrations.map((migration) => migration.name));
    const foreign = [...applied].filter((name) => !known.has(name));
    if (isTooNew(foreign)) {
      const list = foreign.join(', ');
      throw new Error(`the database was written by a much newer version of Byway (it has had ${list})`);
    }
    for (const migration of migrations) {
      if (applied.has(migration.name)) continue;
      await migration.up(tx, engine.columnTypes);
      await db
        .insertInto('schema_migration')
        .values({ name: migration.name, applied_at: systemClock.now() })
        .execute();
    }
  };
  // A migration can deadlock with processes that serve meanwhile.
  await engine.withExclusiveLock(apply, { mayRepeat: true });
}

/**
 * Whether these unknown migrations make a database too new to serve from. The migration of the next version leaves
 * everything that this version needs (see `MIGRATIONS`), so that both can run during a rolling upgrade.
 */
export function isTooNew(foreign: readonly string[]): boolean {
  return foreign.length > 1;
}

/** The names of the applied migrations; none for an empty database. */
export async function appliedMigrations(engine: Engine): Promise<Set<string>> {
  const tables = await engine.reader.introspection.getTables();
  if (!tables.some((table) => table.name === 'schema_migration')) return new Set();
  return readNames(engine.reader.withTables<MigrationTables>());
}

async function appliedNames(db: Transaction<Tables & MigrationTables>): Promise<Set<string>> {
  await db.schema
    .createTable('schema_migration')
    .ifNotExists()
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('applied_at', 'bigint', (column) => column.notNull())
    .execute();
  return readNames(db);
}

async function readNames(db: Kysely<Tables & MigrationTables>): Promise<Set<string>> {
  const rows = await db.selectFrom('schema_migration').select('name').orderBy('name').execute();
  return new Set(rows.map((row) => row.name));
}
