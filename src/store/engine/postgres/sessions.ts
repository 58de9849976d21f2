import { type Kysely, sql } from 'kysely';
import { PostgresUrlError } from '../../../base/postgres/url.js';
import type { Tables } from '../../schema/schema.js';
import { REPORT_TIMEOUT_MS } from '../engine.js';
import { DatabaseUnusable } from '../unavailable.js';
import { NO_TIMEOUTS, PostgresConnections } from './connection/connections.js';
import { ConnectionLost, isServerError } from './connection/errors.js';
import { isPooledByTransaction } from './connection/pooler.js';
import { PostgresServer } from './connection/server.js';
import { POOLED } from './connection/words.js';

/**
 * With the listening one a process has at most 10 connections (and one more while it migrates), so that a server with
 * 100 connections has room for nine processes. With a direct URL one of them reads there.
 */
const READING_CONNECTIONS = 3;
export const REPORTING_CONNECTIONS = 2;
const WRITING_CONNECTIONS = 4;

/** The connections of a process, by what they are for. */
export interface PostgresSessions {
  /** For whatever keeps something in a session: locks, notifications, statements without a time limit. */
  readonly direct: PostgresServer;
  readonly reading: PostgresConnections;
  /** Reads on `direct`; its sessions hold the lease. */
  readonly holding: PostgresConnections;
  readonly reporting: PostgresConnections;
  readonly writing: PostgresConnections;
  /** One connection to `direct`, without timeouts. */
  readonly unlimited: PostgresConnections;
  close(): Promise<void>;
}

export interface SessionsOptions {
  readonly url: string;
  /** Where sessions are a client's own, when those of `url` are not. */
  readonly directUrl: string | null;
  /** Statements take as long as they take. */
  readonly forExamination: boolean;
  /** The first statement of sessions that hold the lease. */
  readonly lease: string;
}

/** Opens none of the connections yet, but finds out what kind of sessions there are. Throws DatabaseUnusable. */
export async function openSessions(options: SessionsOptions): Promise<PostgresSessions> {
  const { url, directUrl, forExamination, lease } = options;
  const server = serverAt(url, 'BYWAY_DATABASE_URL');
  const direct = directUrl === null ? server : serverAt(directUrl, DIRECT);
  await requireOwnSessions(direct, directUrl !== null);
  const byTransaction = directUrl !== null;
  const settings = forExamination ? { ...READING, ...NO_TIMEOUTS } : READING;
  const held = (max: number) => new PostgresConnections(direct, { max, settings, first: [lease] });
  // The reading connections hold the lease: they are always in use, since changes are polled.
  const reading = byTransaction
    ? new PostgresConnections(server, { max: READING_CONNECTIONS, settings, byTransaction })
    : held(READING_CONNECTIONS);
  const holding = byTransaction ? held(1) : reading;
  const writing = { max: WRITING_CONNECTIONS, settings: WRITING, byTransaction };
  const reporting = { max: REPORTING_CONNECTIONS, settings: REPORTING, byTransaction };
  const all = {
    reading,
    holding,
    reporting: new PostgresConnections(server, reporting),
    writing: new PostgresConnections(server, writing),
    unlimited: new PostgresConnections(direct, { max: 1, settings: NO_TIMEOUTS }),
  };
  return {
    direct,
    ...all,
    close: async () => void (await Promise.all(Object.values(all).map((each) => each.close()))),
  };
}

const DIRECT = 'BYWAY_DATABASE_DIRECT_URL';

/** Throws DatabaseUnusable unless both URLs lead to one schema of one database of one server. */
export async function requireSameDatabase(reader: Kysely<Tables>, holder: Kysely<Tables>): Promise<void> {
  const identity = sql<{ id: string }>`
    select concat_ws(' ', d.oid, pg_postmaster_start_time()::text, current_schema()) as id
    from pg_database d where d.datname = current_database()`;
  const [one, other] = await Promise.all([identity.execute(reader), identity.execute(holder)]);
  if (one.rows[0]?.id !== other.rows[0]?.id)
    throw new DatabaseUnusable(
      `${DIRECT} must name the same server, database and schema as BYWAY_DATABASE_URL`,
    );
}

async function requireOwnSessions(direct: PostgresServer, isNamed: boolean): Promise<void> {
  const prefix = isNamed ? `${DIRECT}: ` : '';
  const isPooled = await isPooledByTransaction(direct).catch((error) => {
    throw new DatabaseUnusable(prefix + (isServerError(error) ? direct.wordsOf(error) : messageOf(error)));
  });
  if (!isPooled) return;
  throw new DatabaseUnusable(
    isNamed ? `${DIRECT} must name PostgreSQL itself: its sessions are pooled` : POOLED,
  );
}

function messageOf(error: unknown): string {
  if (error instanceof ConnectionLost || error instanceof DatabaseUnusable) return error.message;
  throw error;
}

function serverAt(url: string, name: string): PostgresServer {
  try {
    return new PostgresServer(url);
  } catch (error) {
    if (error instanceof PostgresUrlError) throw new DatabaseUnusable(`${name}: ${error.message}`);
    throw error;
  }
}

/** A write outside of `transact` would bump no revision, so other processes would not notice it. */
const READING = { default_transaction_read_only: 'on' };

/**
 * Pages and counts end at a bound, which a sequential scan reaches late or never where rows of other accounts come first:
 * the planner expects them evenly spread.
 */
const REPORTING = {
  ...READING,
  statement_timeout: String(REPORT_TIMEOUT_MS),
  enable_seqscan: 'off',
};

/**
 * For serializable transactions the server tracks index reads by row, but a sequential scan as a read of the whole
 * table, which conflicts with every write to it. Without these settings it would scan small tables, and would lock rows
 * that it finds by a bitmap in another order than their index has.
 */
const WRITING = { enable_seqscan: 'off', enable_bitmapscan: 'off', jit: 'off' };
