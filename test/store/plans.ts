/** Which indexes statements use, as the databases explain. */
import {
  CompiledQuery as Compiled,
  type CompiledQuery,
  type DatabaseConnection,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Database } from '../../src/store/database/database.js';
import type { Tables } from '../../src/store/schema/schema.js';
import type { DatabaseKind } from '../support/database.js';

export function isScan(kind: DatabaseKind, line: string): boolean {
  // What is counted, and what filters without an index are applied to, are bounded subqueries.
  return kind === 'sqlite'
    ? /^SCAN (?!counted|recent|named|found|CONSTANT|\()/.test(line)
    : /Seq Scan/.test(line);
}

export function isSearch(kind: DatabaseKind, line: string): boolean {
  return kind === 'sqlite' ? line.startsWith('SEARCH') : /Index (Only )?Scan/.test(line);
}

export async function planOf(
  database: Database,
  kind: DatabaseKind,
  { sql, parameters }: CompiledQuery,
): Promise<string[]> {
  const explain = kind === 'sqlite' ? 'explain query plan' : 'explain';
  // On PostgreSQL a write transaction scans a table only where no index serves. It sorts only where none has the order,
  // whatever its statistics make of a table that is nearly empty.
  const { rows } = await database.transact([], async (tx) => {
    const settings = ['set local enable_sort = off', 'set local enable_incremental_sort = off'];
    if (kind === 'postgres') for (const set of settings) await tx.executeQuery(Compiled.raw(set));
    return tx.executeQuery<Record<string, string>>(Compiled.raw(`${explain} ${sql}`, [...parameters]));
  });
  return rows.map((row) => String(row.detail ?? row['QUERY PLAN']));
}

/** Runs what it is given on the database, and keeps it. */
export function recordingOn(
  { query }: Database,
  kind: DatabaseKind,
  statements: CompiledQuery[],
): Kysely<Tables> {
  const connection: DatabaseConnection = {
    executeQuery(statement) {
      statements.push(statement);
      return query.executeQuery(statement) as never;
    },
    streamQuery() {
      throw new Error('lists are read in pages');
    },
  };
  const driver = {
    init: async () => {},
    acquireConnection: async () => connection,
    beginTransaction: async () => {},
    commitTransaction: async () => {},
    rollbackTransaction: async () => {},
    releaseConnection: async () => {},
    destroy: async () => {},
  };
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => (kind === 'sqlite' ? new SqliteAdapter() : new PostgresAdapter()),
      createDriver: () => driver,
      createIntrospector: (db) =>
        kind === 'sqlite' ? new SqliteIntrospector(db) : new PostgresIntrospector(db),
      createQueryCompiler: () =>
        kind === 'sqlite' ? new SqliteQueryCompiler() : new PostgresQueryCompiler(),
    },
  });
}
