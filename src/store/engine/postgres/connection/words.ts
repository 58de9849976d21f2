/** What an operator reads about a failure: one line of ours that says what to do, never the driver's or the server's own words. */
import { isServerError, stateOf } from './errors.js';

/** What the connection was for. */
export interface Where {
  /** As `placeOf` has it. */
  readonly address: string;
  readonly user: string;
  readonly database: string;
  readonly isEncrypted: boolean;
}

/** One line for the operator; holds no secret. */
export function operatorWords(error: unknown, where: Where): string {
  if (isServerError(error)) {
    const isPooler = stateOf(error) === '08P01';
    return (
      (isPooler && poolerWords(error.message, where)) ||
      serverWords(stateOf(error), error.routine ?? '', where)
    );
  }
  const code = codeOf(error);
  return systemWords(code, where) ?? driverWords(error instanceof Error ? error.message : '', where);
}

/** What to do about a pooler that hands a session to another client after each transaction. */
export const POOLED =
  'a pooler in transaction mode is in front of PostgreSQL: use session mode, or name PostgreSQL itself in BYWAY_DATABASE_DIRECT_URL for locks and notifications';

/** The words of PgBouncer (its source, `disconnect_client`), which has one SQLSTATE for nearly all of them. */
function poolerWords(message: string, where: Where): string | undefined {
  const { address, user, database } = where;
  // Of the server, which PgBouncer passes on under a state of its own.
  if (/^database ".*" does not exist/.test(message)) return noDatabase(where);
  if (/^sorry, too many clients|^remaining connection slots/.test(message))
    return tooMany(where, 'max_connections');
  if (/^the database system is/.test(message)) return startingOrStopping(where);
  if (/login failed|^password authentication failed for|^role ".*" does not exist|pg_hba\.conf/.test(message))
    return `the pooler at ${address} can't sign in to PostgreSQL: its own configuration (auth_file, auth_query, userlist) needs the password of "${user}"`;
  if (/^password authentication failed$|^SASL authentication failed$|^no such user/.test(message))
    return wrongPassword(where);
  if (/^no such database/.test(message)) return noDatabase(where);
  if (/^database .*disabled|^database does not allow connections/.test(message))
    return `the pooler at ${address} does not take connections to "${database}" now: RESUME or ENABLE it there`;
  if (/max_client_conn/.test(message)) return tooMany(where, 'max_client_conn of the pooler');
  if (/^query_wait_timeout/.test(message)) return tooMany(where, 'default_pool_size of the pooler');
  if (/server_login_retry|^pgbouncer cannot connect to server|^server conn(ection)? crashed/.test(message))
    return `the pooler at ${address} can't reach PostgreSQL: look whether that is up, and what the log of the pooler says`;
  if (/^unsupported startup parameter/.test(message))
    return `the pooler at ${address} takes no startup parameter like this: leave "options" out of the URL, or name it in ignore_startup_parameters of the pooler`;
  if (/^transaction blocks not allowed/.test(message))
    return 'a pooler in statement mode is in front of PostgreSQL: use session mode, since Byway needs transactions';
  return undefined;
}

function serverWords(state: string, routine: string, where: Where): string {
  const { address, user, database, isEncrypted } = where;
  switch (state) {
    case '28P01':
      return wrongPassword(where);
    case '28000':
      if (routine.startsWith('InitializeSessionUserId'))
        return `PostgreSQL at ${address} has no user "${user}" that may sign in: create it, or correct the user in the URL`;
      return `pg_hba.conf of PostgreSQL at ${address} admits no user "${user}" to database "${database}" from this machine ${isEncrypted ? 'over TLS: add a line for it' : 'without TLS: add sslmode=require to the URL, or a line to pg_hba.conf'}`;
    case '3D000':
      return noDatabase(where);
    case '42501':
      return `user "${user}" lacks a permission in database "${database}": Byway's user must own its tables and may create more (GRANT CREATE ON SCHEMA public TO "${user}", or make it the owner of the database)`;
    case '42601':
    case '42704':
    case '22023':
      return `PostgreSQL at ${address} knows no setting like one in "options" of the URL or in PGOPTIONS (SQLSTATE ${state}): correct it, or leave it out`;
    case '3F000':
      return `no schema of database "${database}" is on the search path of user "${user}": create one, or name one with options=-csearch_path%3DNAME`;
    case '53300':
      return tooMany(where, 'max_connections');
    case '53100':
      return `the disk of PostgreSQL at ${address} is full: make room there`;
    case '25006':
      return readOnly(where);
    case '26000':
    case '42P05':
      return POOLED;
    case '57P03':
      return startingOrStopping(where);
    case '57P01':
    case '57P02':
      return `PostgreSQL at ${address} has ended the connection: it stops, restarts, or an administrator ended it`;
    case '57014':
      return `PostgreSQL at ${address} did not finish a statement in time: it is overloaded, or lacks statistics (ANALYZE)`;
    case '55P03':
      return `a lock was not free in time: something else holds locks of Byway's tables (pg_stat_activity tells who)`;
    default:
      return `PostgreSQL at ${address} refused (SQLSTATE ${state || 'unknown'}${CLASSES[state.slice(0, 2)] ?? ''}): its log says more`;
  }
}

/** What classes of states mean, for those that have no line of their own. */
const CLASSES: Readonly<Record<string, string>> = {
  '08': ', a broken connection',
  '25': ', the state of a transaction',
  '28': ', a user that may not sign in',
  '42': ', a statement that this version does not know',
  '53': ', too few resources',
  '54': ', a limit of the server',
  '57': ', an operator of the server',
  '58': ', the operating system of the server',
  F0: ', the configuration of the server',
  XX: ', an internal error or damage',
};

function wrongPassword({ address, user }: Where): string {
  return `PostgreSQL at ${address} refused user "${user}" or its password: correct them in the URL (special characters percent-encoded)`;
}

function noDatabase({ address, database, user }: Where): string {
  return `there is no database "${database}" at ${address}: create it (createdb -O "${user}" "${database}"), or correct the name in the URL`;
}

function startingOrStopping({ address }: Where): string {
  return `PostgreSQL at ${address} is starting or stopping: it serves in a moment, or its log says why not`;
}

function tooMany({ address }: Where, setting: string): string {
  return `no connection is left at ${address}: raise ${setting}, or run fewer processes (each takes up to 10)`;
}

export function readOnly({ address }: Pick<Where, 'address'>): string {
  return `PostgreSQL at ${address} is read-only, a standby or set so: name the primary, or all hosts (HOST1,HOST2), of which the one that writes is taken`;
}

/** By the code of the operating system, of Node's resolver, or of OpenSSL. */
function systemWords(code: string, { address }: Where): string | undefined {
  switch (code) {
    case 'ECONNREFUSED':
      return `nothing listens at ${address}: is PostgreSQL running, and are host and port right?`;
    case 'ENOENT':
      return `there is no ${address}: is PostgreSQL running on this machine, and is its folder of sockets right?`;
    case 'EACCES':
    case 'EPERM':
      return `this user may not use ${address}: let it into the folder of the socket`;
    case 'ENOTFOUND':
      return `the name of ${address} is unknown: correct the host in the URL, or the resolver of this machine`;
    case 'EAI_AGAIN':
      return `the name of ${address} can't be looked up now: the resolver of this machine does not answer`;
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'EHOSTDOWN':
      return `${address} can't be reached: look at host, port, network and firewalls`;
    case 'ECONNRESET':
    case 'EPIPE':
      return `${address} has cut the connection: look at the log of PostgreSQL, or of what is in front of it`;
    case 'CERT_HAS_EXPIRED':
      return `the certificate of ${address} has expired: renew it`;
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `the certificate of ${address} is for another name: use the name in it, or sslmode=verify-ca`;
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return `the certificate of ${address} is signed by an authority that is unknown here: name its file with sslrootcert`;
    default:
      if (
        code.startsWith('ERR_SSL_') ||
        code.startsWith('ERR_TLS_') ||
        code === 'EPROTO' ||
        code.startsWith('ERR_OSSL_')
      )
        return `TLS with ${address} failed (${code}): look at sslmode, sslcert and sslkey of the URL`;
      return undefined;
  }
}

/** The driver gives these no code. */
function driverWords(message: string, where: Where): string {
  const { address, user } = where;
  if (message.includes('does not support SSL'))
    return `PostgreSQL at ${address} offers no TLS: switch it on there (ssl = on), or use sslmode=disable`;
  if (message.includes('establishing an SSL connection'))
    return `${address} does not answer as PostgreSQL does: look at host and port`;
  if (message.includes('channel binding'))
    return `PostgreSQL at ${address} offers no channel binding, which the URL requires: use TLS and scram-sha-256 there, or leave channel_binding out`;
  if (message.includes('client password must be'))
    return `PostgreSQL at ${address} asks for the password of user "${user}", and none is given: put it into the URL, PGPASSWORD or a file (passfile)`;
  if (message.startsWith('SASL'))
    return `PostgreSQL at ${address} proves its knowledge of the password otherwise than SCRAM-SHA-256 has it: look at what is in front of it`;
  if (/timeout|timed out|expired/i.test(message))
    return `${address} did not answer in time: look at host, port, network, firewalls and the load of the server`;
  if (/terminated|not queryable|closed/.test(message))
    return `${address} has cut the connection: look at the log of PostgreSQL, or of what is in front of it`;
  return `${address} does not answer as PostgreSQL does: look at host and port`;
}

/** The code of an error; of several, such as for a name with several addresses, that of the first. */
function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error instanceof Error && 'code' in error ? String(error.code ?? '') : '';
}
