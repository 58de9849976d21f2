import type { CompiledQuery, Kysely } from 'kysely';
import type { Tables } from '../../schema.js';
import type { Decided, OptimisticWrite } from '../engine.js';
import type { PostgresConnections } from './connections.js';
import { WriteConnection } from './driver.js';
import { isPreconditionFailure } from './errors.js';
import { beginWithLocks } from './locked-transaction.js';
import type { StatementNames } from './statements.js';

/**
 * Writes what was decided ahead in one round trip, from the beginning to the commit; false where an objection has
 * undone it. Where the connection is lost, nobody knows whether it is committed.
 */
export async function writeWithLocks(
  connections: PostgresConnections,
  statements: StatementNames,
  names: readonly string[],
  { unless, writes }: OptimisticWrite,
): Promise<boolean> {
  const connection = new WriteConnection(await connections.acquire(), statements);
  try {
    // All of them are made before any is sent: what can't be sent must not leave half of it behind.
    const sendable = [...unless.map(failingIfFound), ...writes].map((query) => connection.statement(query));
    const outcomes = await Promise.allSettled<unknown>([
      connection.command(beginWithLocks(names)),
      ...sendable.map((statement) => connection.run(statement)),
      // What stands behind a failure is refused, and the commit undoes what stood before it.
      connection.command('commit'),
    ]);
    const failed = outcomes.findIndex((outcome) => outcome.status === 'rejected');
    const failure = outcomes[failed];
    if (failure?.status !== 'rejected') return true;
    if (failed <= unless.length && isPreconditionFailure(failure.reason)) return false;
    throw failure.reason;
  } finally {
    connections.release(connection.client, connection.isBroken);
  }
}

/** The same in steps, for when it may have been committed. */
export async function unlessWritten(
  db: Kysely<Tables>,
  { unless, writes, proofs }: OptimisticWrite,
): Promise<Decided<boolean>> {
  const found = (query: CompiledQuery) => db.executeQuery(query).then(({ rows }) => rows.length > 0);
  const [proven, objected] = await Promise.all([
    Promise.all(proofs().map(found)),
    Promise.all(unless.map(found)),
  ]);
  if (!proven.includes(false)) return { result: true, writes: [] };
  if (objected.includes(true)) return { result: false, writes: [] };
  return { result: true, writes };
}

/** Fails where the query finds a row: nothing else undoes a transaction that is sent as a whole. */
function failingIfFound(query: CompiledQuery): CompiledQuery {
  return { ...query, sql: `select 1 / (case when exists (${query.sql}) then 0 else 1 end)` };
}
