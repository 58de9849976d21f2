import { type Driver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { Tables } from '../../schema/schema.js';
import type { ColumnTypes } from '../engine.js';

export const SQLITE_TYPES: ColumnTypes = {
  bytes: 'blob',
  volatileTable: '',
  clusteredTable: 'without rowid',
  leaveRoom: () => [],
  rowTrigger: ({ name, table, event, when, statements }) => ({
    create: [
      `create trigger ${name} after ${event} on ${table} when ${when} begin ${statements.join('; ')}; end`,
    ],
    drop: `drop trigger ${name}`,
  }),
};

export function sqliteKysely(driver: Driver): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
}
