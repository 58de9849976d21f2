import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PostgresConnections } from '../../../src/store/engine/postgres/connection/connections.js';
import { PostgresServer } from '../../../src/store/engine/postgres/connection/server.js';
import { WriteConnection } from '../../../src/store/engine/postgres/driver.js';
import { StatementNames } from '../../../src/store/engine/postgres/statements.js';
import { temporaryDatabaseUrl } from '../../support/database.js';
import { directUrlOf } from '../../support/postgres/pgbouncer.js';
import { hasPostgres } from '../../support/postgres/postgres-access.js';

/** Errors after which only another connection helps. */
const CLOSING = [
  ['08000', 'a broken connection'],
  ['08006', 'a connection that failed'],
  ['08P01', 'a violation of the protocol, or whatever PgBouncer says'],
  ['25006', 'a server that became read-only'],
  ['25P03', 'a transaction that was idle for too long'],
  ['26000', 'a prepared statement that the session does not have'],
  ['28000', 'a user that may not sign in any more'],
  ['28P01', 'a password that was changed'],
  ['42P05', 'a prepared statement that the session has already'],
  ['53300', 'too many connections'],
  ['57P01', 'an administrator'],
  ['57P02', 'a crash of another session'],
  ['57P03', 'a server that starts or stops'],
  ['57P04', 'a database that was dropped'],
  ['57P05', 'a session that was idle for too long'],
] as const;

/** Errors that another server, or another session, may not have: not closed at once again and again. */
const EXHAUSTED = [
  ['53000', 'too few resources'],
  ['53100', 'a full disk'],
  ['53200', 'too little memory'],
  ['53400', 'a limit of the configuration'],
  ['58030', 'a failing disk'],
  ['58P01', 'a file that is missing'],
  ['F0000', 'an unreadable configuration'],
  ['XX000', 'an internal error'],
  ['XX001', 'damaged data'],
] as const;

/** Errors of the statement or the transaction alone. */
const KEPT = [
  ['0A000', 'what is not supported'],
  ['22012', 'a failed precondition'],
  ['23505', 'a row that exists'],
  ['40001', 'a conflict'],
  ['40P01', 'a deadlock'],
  ['42501', 'a missing permission'],
  ['42P01', 'a missing table'],
  ['55P03', 'a lock that is not free'],
  ['57014', 'a statement that took too long'],
] as const;

/** A pool of one connection, and the number of the session that it is. */
async function poolOfOne() {
  const url = await temporaryDatabaseUrl('postgres');
  const server = new PostgresServer(directUrlOf(url) ?? url);
  const connections = new PostgresConnections(server, { max: 1, settings: {} });
  onTestFinished(() => connections.close());
  return {
    async session(): Promise<number> {
      const client = await connections.acquire();
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      connections.release(client, undefined);
      return rows[0]?.pid ?? 0;
    },
    /** The server says the error, word for word as it does when it means it. */
    async meet(state: string): Promise<void> {
      const connection = new WriteConnection(await connections.acquire(), new StatementNames(connections));
      const raise = `do $$ begin raise exception using errcode = '${state}'; end $$`;
      await expect(connection.command(raise)).rejects.toMatchObject({ code: state });
      connections.release(connection.client, connection.fault);
    },
  };
}

describe.runIf(hasPostgres())('a connection of PostgreSQL', () => {
  it.each(CLOSING)('is closed after %s, %s, and another one is opened within 5 s', async (state) => {
    const { session, meet } = await poolOfOne();
    const before = await session();
    const begun = performance.now();
    await meet(state);
    expect(await session()).not.toBe(before);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  it.each(EXHAUSTED)('is closed after %s, %s, unless it was opened just now', async (state) => {
    const { session, meet } = await poolOfOne();
    const before = await session();
    await meet(state);
    expect(await session()).toBe(before);
    await sleep(1_050);
    await meet(state);
    expect(await session()).not.toBe(before);
  });

  it.each(KEPT)('is used again after %s, %s', async (state) => {
    const { session, meet } = await poolOfOne();
    const before = await session();
    await meet(state);
    expect(await session()).toBe(before);
  });
});
