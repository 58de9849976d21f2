import type { LockedWork } from '../engine.js';
import { StatementDriver } from '../statement-driver.js';
import type { PostgresConnections } from './connection/connections.js';
import { isLost } from './connection/errors.js';
import { lockLiteral, lockNumber } from './connection/locks.js';
import { postgresKysely } from './dialect.js';
import { WriteConnection } from './driver.js';
import type { StatementNames } from './statements.js';

/**
 * Runs `work` once, in a transaction that holds a lock for each of the names. The first queries of `work` are sent with
 * the begin, and all its writes with the commit: two round trips when it queries once. When the answer to the commit is
 * lost, it is unknown whether the transaction is committed; then it throws `database_unavailable`.
 */
export async function transactLocked<T>(
  connections: PostgresConnections,
  statements: StatementNames,
  names: readonly string[],
  work: LockedWork<T>,
): Promise<T> {
  const connection = new WriteConnection(await connections.acquire(), statements);
  try {
    return await transactOver(connections, connection, names, work);
  } finally {
    connections.release(connection.client, connection.fault);
  }
}

async function transactOver<T>(
  connections: PostgresConnections,
  connection: WriteConnection,
  names: readonly string[],
  work: LockedWork<T>,
): Promise<T> {
  const begun = connection.command(connections.beginning(beginWithLocks(names)));
  const deciding = work(postgresKysely(new StatementDriver(connection)));
  // Both must be settled before anything else is sent on the connection.
  const [begin, decision] = await Promise.allSettled([begun, deciding]);
  try {
    // A begin that failed is the cause of all other failures.
    if (begin.status === 'rejected') throw begin.reason;
    if (decision.status === 'rejected') throw decision.reason;
    const { result, writes } = decision.value;
    await commit(
      connections,
      connection,
      writes.map((query) => connection.statement(query)),
    );
    return result;
  } catch (error) {
    if (!connection.isLost) await connection.command('rollback').catch(() => {});
    throw error;
  }
}

/** The first failure is the cause; after it the server turns the commit into a rollback. */
async function commit(
  connections: PostgresConnections,
  connection: WriteConnection,
  writes: readonly ReturnType<WriteConnection['statement']>[],
): Promise<void> {
  const sent = [...writes.map((statement) => connection.run(statement)), connection.command('commit')];
  const outcomes = await Promise.allSettled<unknown>(sent);
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure !== undefined)
    throw isLost(failure.reason) ? connections.unavailable(failure.reason) : failure.reason;
}

/** PostgreSQL takes 1,664 entries of a list that is selected. */
const LOCKS_PER_STATEMENT = 1_000;

/**
 * Begins a transaction and takes the locks, always in the same order to avoid deadlocks. The statements after it see
 * everything that earlier holders of the locks have committed.
 */
export function beginWithLocks(names: readonly string[]): string {
  const numbers = [...new Set(names.map(lockNumber))].sort((a, b) => (a < b ? -1 : 1));
  const locks = numbers.map((number) => `pg_advisory_xact_lock(${lockLiteral(number)})`);
  const statements = ['begin isolation level read committed'];
  for (let index = 0; index < locks.length; index += LOCKS_PER_STATEMENT) {
    statements.push(`select ${locks.slice(index, index + LOCKS_PER_STATEMENT).join(', ')}`);
  }
  return statements.join('; ');
}
