import SqliteDatabase from 'better-sqlite3';

const handles: SqliteDatabase.Database[] = [];

/**
 * Opens a SQLite file beside the gateway's own connections. It is never collected, which would end the process (see
 * src/store/engine/sqlite/connection/connection.ts); for the same reason use only `exec`, which creates no statement.
 */
export function openSqliteFile(file: string): Pick<SqliteDatabase.Database, 'exec' | 'unsafeMode' | 'close'> {
  const database = new SqliteDatabase(file);
  handles.push(database);
  return database;
}
