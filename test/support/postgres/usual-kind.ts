import { testedPoolMode } from './pgbouncer.js';

export type DatabaseKind = 'sqlite' | 'postgres';

/** The kind of database of this test run: `BYWAY_TEST_DATABASE`, by default SQLite. */
export function usualKind(): DatabaseKind {
  const kind = process.env.BYWAY_TEST_DATABASE ?? 'sqlite';
  if (testedPoolMode() !== undefined) return 'postgres';
  if (kind === 'sqlite' || kind === 'postgres') return kind;
  throw new Error('BYWAY_TEST_DATABASE must be sqlite, postgres, pgbouncer-session or pgbouncer-transaction');
}
