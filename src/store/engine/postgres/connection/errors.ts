/** Classes of errors of PostgreSQL, by SQLSTATE (appendix A of its manual), and of connections to it. */
import { DatabaseError } from 'pg';

/** Serialization failure, deadlock: the transaction was rolled back in favour of another one. */
const CONFLICTS = new Set(['40001', '40P01']);

/**
 * The statement was not carried out, and only another connection can do it: the server ends this session, a pooler has
 * handed out another session than the one in which the statement was prepared, or the server became a standby.
 */
const LOSSES = [
  // Connections: lost, refused, and errors of the protocol.
  '08',
  // Idle in a transaction for too long, a transaction or a session for too long.
  '25P03',
  '25P04',
  '57P05',
  // A read-only transaction: the server was a primary when the connection opened.
  '25006',
  // Role, password, certificate: for connections that are opened later, and poolers say so late.
  '28',
  // Too many connections.
  '53300',
  // Shutdown, crash of another session, start, the database was dropped.
  '57P01',
  '57P02',
  '57P03',
  '57P04',
  // A prepared statement that the session does not have, or has already.
  '26000',
  '42P05',
];

/**
 * What the server can't do now. The connection is closed as well, since the next one may lead to another server, or
 * find room. Statement and lock timeouts concern the statement alone.
 */
const EXHAUSTIONS = ['53', '58', 'F0'];

/** Damage and internal errors, which may be of the session's own memory. */
const INTERNAL_ERRORS = ['XX'];

/** Statement timeout, lock timeout, a permission that this user does not have (any more), and all that the server can't do now. */
const REFUSALS = ['57014', '55P03', '42501', ...EXHAUSTIONS];

/** The connection ended, timed out or can't be opened. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
  /** The code that the operating system, the resolver or OpenSSL gave. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

/** What the driver throws when a connection ends, without its references to the connection and its password. */
export function lossOf(error: unknown): ConnectionLost {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  return new ConnectionLost(error instanceof Error ? error.message : '', code);
}

export function isServerError(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError;
}

/** Whether a retry of the transaction is likely to succeed. */
export function isConflict(error: unknown): boolean {
  return CONFLICTS.has(stateOf(error));
}

/** Whether the statement was not carried out, or its answer is lost, and only another connection helps. */
export function isLost(error: unknown): boolean {
  return error instanceof ConnectionLost || isOneOf(error, LOSSES);
}

/** Whether the connection must not be used again. */
export function spoilsConnection(error: unknown): boolean {
  return isLost(error) || isOneOf(error, [...EXHAUSTIONS, ...INTERNAL_ERRORS]);
}

/**
 * Whether an administrator terminated this connection, or the server begins to shut down; a new connection tells which.
 */
export function isTerminated(error: unknown): boolean {
  return stateOf(error) === '57P01';
}

/** Whether the server does not write (any more): it is a standby, or was made read-only. */
export function isReadOnly(error: unknown): boolean {
  return stateOf(error) === '25006';
}

/** Whether there was no room on the disk of the server. */
export function isDiskFull(error: unknown): boolean {
  return stateOf(error) === '53100';
}

/** Whether the server is up but could not run the statement, or not in time. */
export function isRefusal(error: unknown): boolean {
  return isOneOf(error, REFUSALS);
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

/** The SQLSTATE; '' where the server said none. */
export function stateOf(error: unknown): string {
  return isServerError(error) ? (error.code ?? '') : '';
}

/** States or their classes, the first two characters. */
function isOneOf(error: unknown, states: readonly string[]): boolean {
  const state = stateOf(error);
  return state !== '' && states.some((one) => state.startsWith(one));
}
