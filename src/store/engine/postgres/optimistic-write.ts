import type { CompiledQuery, Kysely } from 'kysely';
import type { Tables } from '../../schema/schema.js';
import type { Decided, OptimisticWrite } from '../engine.js';
import type { PostgresConnections } from './connection/connections.js';
import { isPreconditionFailure } from './connection/errors.js';
import { WriteConnection } from './driver.js';
import { beginWithLocks } from './locked-transaction.js';
import type { StatementNames } from './statements.js';

/**
 * Sends preconditions, writes and commit in one round trip; false when a precondition has failed, which rolls it back.
 * When the connection is lost, it is unknown whether the transaction is committed.
 */
export async function writeWithLocks(
  connections: PostgresConnections,
  statements: StatementNames,
  names: readonly string[],
  { unless, writes }: OptimisticWrite,
): Promise<boolean> {
  const connection = new WriteConnection(await connections.acquire(), statements);
  try {
    // All statements are built before any is sent: a parameter that can't be sent must not leave a half-sent transaction.
    const sendable = [...unless.map(failingIfFound), ...writes].map((query) => connection.statement(query));
    const outcomes = await Promise.allSettled<unknown>([
      connection.command(connections.beginning(beginWithLocks(names))),
      ...sendable.map((statement) => connection.run(statement)),
      // After a failure the server rejects the following statements and turns the commit into a rollback.
      connection.command('commit'),
    ]);
    const failed = outcomes.findIndex((outcome) => outcome.status === 'rejected');
    const failure = outcomes[failed];
    if (failure?.status !== 'rejected') return true;
    if (failed <= unless.length && isPreconditionFailure(failure.reason)) return false;
    throw failure.reason;
  } finally {
    connections.release(connection.client, connection.fault);
  }
}

/** The same in steps, for a retry when the first attempt may have been committed. */
export async function unlessWritten(
  db: Kysely<Tables>,
  { unless, writes, proofs }: OptimisticWrite,
): Promise<Decided<boolean>> {
  const found = (query: CompiledQuery) => db.executeQuery(query).then(({ rows }) => rows.length > 0);
  const [proven, failed] = await Promise.all([
    Promise.all(proofs().map(found)),
    Promise.all(unless.map(found)),
  ]);
  if (!proven.includes(false)) return { result: true, writes: [] };
  if (failed.includes(true)) return { result: false, writes: [] };
  return { result: true, writes };
}

/** Fails when the query finds a row: in a transaction that is sent as a whole, only an error causes a rollback. */
function failingIfFound(query: CompiledQuery): CompiledQuery {
  return { ...query, sql: `select 1 / (case when exists (${query.sql}) then 0 else 1 end)` };
}
