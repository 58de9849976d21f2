/** Classes of errors of PostgreSQL, by SQLSTATE (appendix A of its manual), and of connections to it. */
import { DatabaseError } from 'pg';

/** Serialization failure, deadlock: the transaction was rolled back in favour of another one. */
const CONFLICTS = new Set(['40001', '40P01']);

/**
 * The server closes the connection: shutdown, crash, start, too many connections, idle in a transaction for too long.
 */
const LOSSES = new Set(['57P01', '57P02', '57P03', '57P05', '25P03', '53300']);

/** Statement timeout, lock timeout, a standby that does not write, out of disk or memory, a limit of the server. */
const REFUSALS = new Set(['57014', '55P03', '25006', '53100', '53200', '53400']);

/** The connection ended or timed out without an error of the server. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

export function isServerError(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError;
}

/** Whether a retry of the transaction is likely to succeed. */
export function isConflict(error: unknown): boolean {
  return CONFLICTS.has(stateOf(error));
}

/** Whether the connection is unusable. */
export function isLost(error: unknown): boolean {
  const state = stateOf(error);
  return error instanceof ConnectionLost || LOSSES.has(state) || state.startsWith('08');
}

/**
 * Whether an administrator terminated this connection, or the server begins to shut down; a new connection tells which.
 */
export function isTerminated(error: unknown): boolean {
  return stateOf(error) === '57P01';
}

/** Whether the server is up but could not run the statement, or not in time. */
export function isRefusal(error: unknown): boolean {
  return REFUSALS.has(stateOf(error));
}

/** Whether a statement has waited for a lock for longer than it may. */
export function isLockTimeout(error: unknown): boolean {
  return stateOf(error) === '55P03';
}

/** Whether a query has divided by zero, which is how it reports a failed precondition. */
export function isPreconditionFailure(error: unknown): boolean {
  return stateOf(error) === '22012';
}

/** Whether a prepared statement is older than a migration of what it reads. */
export function isOutdated(error: unknown): boolean {
  return isServerError(error) && error.routine === 'RevalidateCachedQuery';
}

/** The error for an operator to read. Neither the server nor the sockets put a password into it. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError) return [...new Set(error.errors.map(reasonOf))].join(', ');
  return error.message;
}

function stateOf(error: unknown): string {
  return isServerError(error) ? (error.code ?? '') : '';
}
