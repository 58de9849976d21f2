/** What the errors of PostgreSQL and of connections to it mean (SQLSTATEs: appendix A of its manual). */
import { DatabaseError } from 'pg';

/** Serialisation failure and deadlock: the transaction was undone for another one's sake. */
const CONFLICTS = new Set(['40001', '40P01']);

/** The server ends the connection: shutdown, crash, start, too many connections, idle in a transaction for too long. */
const LOSSES = new Set(['57P01', '57P02', '57P03', '57P05', '25P03', '53300']);

/** Statement timeout, lock timeout, a standby that does not write, out of disk or memory, a limit of the server. */
const REFUSALS = new Set(['57014', '55P03', '25006', '53100', '53200', '53400']);

/** A connection ended, or the other side fell silent: nothing that a server has said. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** Whether the server itself says so. */
export function isServerError(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError;
}

/** Whether the transaction may well succeed when it is run again. */
export function isConflict(error: unknown): boolean {
  return CONFLICTS.has(stateOf(error));
}

/** Whether the connection is of no further use. */
export function isLost(error: unknown): boolean {
  const state = stateOf(error);
  return error instanceof ConnectionLost || LOSSES.has(state) || state.startsWith('08');
}

/** Whether somebody has ended this one connection, or the server begins to shut down: another one tells. */
export function isTerminated(error: unknown): boolean {
  return stateOf(error) === '57P01';
}

/** Whether the server is there and would not, or not in time. */
export function isRefusal(error: unknown): boolean {
  return REFUSALS.has(stateOf(error));
}

/** Whether a query has divided by zero, which is how one raises an objection. */
export function isPreconditionFailure(error: unknown): boolean {
  return stateOf(error) === '22012';
}

/** Whether a prepared statement was made before another version changed what it reads. */
export function isOutdated(error: unknown): boolean {
  return isServerError(error) && error.routine === 'RevalidateCachedQuery';
}

/** What an operator may read of the error. Neither the server nor the sockets put a password into it. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError) return [...new Set(error.errors.map(reasonOf))].join(', ');
  return error.message;
}

function stateOf(error: unknown): string {
  return isServerError(error) ? (error.code ?? '') : '';
}
