import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Problem } from '../../src/base/problem.js';
import type { Database } from '../../src/store/database/database.js';
import {
  onOwnConnection,
  PostgresConnections,
} from '../../src/store/engine/postgres/connection/connections.js';
import { PostgresServer } from '../../src/store/engine/postgres/connection/server.js';
import { openPostgres } from '../../src/store/engine/postgres/engine.js';
import { openDatabase } from '../../src/store/open.js';
import { REVISION_SCOPES } from '../../src/store/schema/schema.js';
import {
  emptyDatabaseUrl,
  openDuringTest,
  optionsFor,
  temporaryDatabaseUrl,
  withDatabase,
} from '../support/database.js';
import { proxyBefore } from '../support/fakes/tcp-proxy.js';
import { hasPostgres } from '../support/postgres/postgres-access.js';
import { entry, entryIds } from './rows.js';

/** Longer than any pause before reconnecting. */
const PATIENCE = { timeout: 15_000 };

/** A database behind a proxy, and another handle that does not go through it. */
async function behindProxy() {
  const url = await temporaryDatabaseUrl('postgres');
  const proxy = await proxyBefore(url);
  return { proxy, database: await openDuringTest(proxy.url), direct: await openDuringTest(url) };
}

async function terminateOthers({ query }: Database): Promise<void> {
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`.execute(query);
}

function reasonOf(error: unknown): string {
  return error instanceof Problem ? error.reason : String(error);
}

describe.runIf(hasPostgres())('on PostgreSQL', () => {
  describe('transactions of several processes', () => {
    test('that deadlock both succeed', async () => {
      const url = await temporaryDatabaseUrl('postgres');
      const [one, other] = [await openDuringTest(url), await openDuringTest(url)];
      await one.transact([], (tx) =>
        tx
          .insertInto('ledger_entry')
          .values([entry('a'), entry('b')])
          .execute(),
      );
      const add = (database: Database, ids: readonly string[]) =>
        database.transact([], async (tx) => {
          for (const id of ids) {
            await tx
              .updateTable('ledger_entry')
              .set((eb) => ({ amount_nano_usd: eb('amount_nano_usd', '+', 1n) }))
              .where('id', '=', id)
              .execute();
            await sleep(20);
          }
        });
      await Promise.all([add(one, ['a', 'b']), add(other, ['b', 'a'])]);
      const rows = await one.query.selectFrom('ledger_entry').select('amount_nano_usd').execute();
      expect(rows).toEqual([{ amount_nano_usd: 3n }, { amount_nano_usd: 3n }]);
    });

    test('all succeed, however many update the same row', async () => {
      const url = await temporaryDatabaseUrl('postgres');
      const handles = await Promise.all(Array.from({ length: 5 }, () => openDuringTest(url)));
      const [first] = handles;
      await first?.transact([], (tx) => tx.insertInto('ledger_entry').values(entry('hot')).execute());
      const increment = (database: Database) =>
        database.transact(['identity'], async (tx) => {
          const row = await tx.selectFrom('ledger_entry').select('amount_nano_usd').executeTakeFirstOrThrow();
          await tx
            .updateTable('ledger_entry')
            .set({ amount_nano_usd: row.amount_nano_usd + 1n })
            .execute();
        });
      await Promise.all(handles.flatMap((database) => Array.from({ length: 20 }, () => increment(database))));
      const row = await first?.query.selectFrom('ledger_entry').select('amount_nano_usd').executeTakeFirst();
      expect(row).toEqual({ amount_nano_usd: 101n });
    });

    test('that find all connections busy for too long are refused', async () => {
      const database = await withDatabase('postgres');
      let finish = () => {};
      const finished = new Promise<void>((resolve) => {
        finish = resolve;
      });
      const busy = Array.from({ length: 4 }, () => database.transact([], () => finished));
      const refused = await database.transact([], async () => {}).catch(reasonOf);
      finish();
      await Promise.all(busy);
      expect(refused).toBe('database_unavailable');
      await database.transact([], async () => {});
    });
  });

  describe('a connection that is lost', () => {
    test('while it is idle is replaced without an error', async () => {
      const url = await temporaryDatabaseUrl('postgres');
      const [database, killer] = [await openDuringTest(url), await openDuringTest(url)];
      for (let round = 0; round < 3; round++) {
        await Promise.all(Array.from({ length: 5 }, () => entryIds(database)));
        await terminateOthers(killer);
        expect(await entryIds(database)).toHaveLength(round);
        await terminateOthers(killer);
        await database.transact([], (tx) =>
          tx
            .insertInto('ledger_entry')
            .values(entry(`${round}`))
            .execute(),
        );
      }
    });

    test('while it opens is replaced too, since the server is up', async () => {
      const url = await temporaryDatabaseUrl('postgres');
      const server = new PostgresServer(url);
      await onOwnConnection(server, (client) => client.query('create sequence made'));
      const ends = "select case when nextval('made') = 1 then pg_terminate_backend(pg_backend_pid()) end";
      const connections = new PostgresConnections(server, { max: 1, settings: {}, first: [ends] });
      onTestFinished(() => connections.close());
      const client = await connections.acquire();
      expect((await client.query('select last_value from made')).rows).toEqual([{ last_value: '2' }]);
      connections.release(client, undefined);
    });

    test('within a transaction causes a retry, and the transaction takes effect once', async () => {
      const { proxy, database, direct } = await behindProxy();
      let runs = 0;
      await database.transact([], async (tx) => {
        if (++runs === 1) {
          proxy.cut();
          proxy.mend();
        }
        await tx.insertInto('ledger_entry').values(entry('a')).execute();
      });
      expect([runs, await entryIds(direct)]).toEqual([2, ['a']]);
    });

    test('while the commit is in flight fails as unknown, and the work is not retried', async () => {
      const { proxy, database, direct } = await behindProxy();
      let runs = 0;
      const writing = database.transact([], async (tx) => {
        runs++;
        await tx.insertInto('ledger_entry').values(entry('a')).execute();
        proxy.swallowAnswerTo('commit');
      });
      expect(await writing.catch(reasonOf)).toBe('database_unavailable');
      expect([runs, await entryIds(direct)]).toEqual([1, ['a']]);
    });
  });

  describe('a database that is away', () => {
    test('fails every query with one reason, and recovers by itself', async () => {
      const { proxy, database } = await behindProxy();
      proxy.cut();
      expect(await entryIds(database).catch(reasonOf)).toBe('database_unavailable');
      const failed = await database.transact([], async () => {}).catch((error: unknown) => error);
      expect(failed).toMatchObject({ reason: 'database_unavailable', httpStatus: 503, retryAfterSeconds: 1 });
      proxy.mend();
      await vi.waitFor(() => entryIds(database), PATIENCE);
      await database.transact([], (tx) => tx.insertInto('ledger_entry').values(entry('a')).execute());
      expect(await entryIds(database)).toEqual(['a']);
    });

    test('leaves caches alone at first, and invalidates all of them once it is back', async () => {
      const { proxy, database } = await behindProxy();
      const heard = new Set<string>();
      for (const scope of REVISION_SCOPES) database.onChange(scope, () => heard.add(scope));
      proxy.cut();
      await vi.waitFor(() => expect(proxy.refused).toBeGreaterThan(3), PATIENCE);
      expect([...heard]).toEqual([]);
      proxy.mend();
      await vi.waitFor(() => expect([...heard].sort()).toEqual([...REVISION_SCOPES].sort()), PATIENCE);
    });

    test('invalidates all caches when it was away for too long', async () => {
      const proxy = await proxyBefore(await temporaryDatabaseUrl('postgres'));
      const database = await openDatabase(proxy.url, { staleAfterMs: 1 });
      const heard = new Set<string>();
      proxy.cut();
      for (const scope of REVISION_SCOPES) database.onChange(scope, () => heard.add(scope));
      await vi.waitFor(() => expect(heard.size).toBe(REVISION_SCOPES.length), PATIENCE);
      await database.close();
    });
  });

  describe('signals between processes', () => {
    test('are sent after the commit, and not after a rollback', async () => {
      const url = await temporaryDatabaseUrl('postgres');
      const [here, there] = [await openPostgres(url), await openPostgres(url)];
      const heard: string[] = [];
      here.onBump((signal) => heard.push(signal));
      await vi.waitFor(() => expect(heard).toEqual(['']), PATIENCE);
      const undone = there.transact(async (tx) => {
        await there.signalBump(tx, 'undone');
        throw new Error('second thoughts');
      });
      await expect(undone).rejects.toThrow('second thoughts');
      await there.transact((tx) => there.signalBump(tx, 'done'));
      await vi.waitFor(() => expect(heard).toEqual(['', 'done']), PATIENCE);
      await Promise.all([here.close(), there.close()]);
    });

    test('arrive again after the connection was lost, and missed ones are made up for', async () => {
      const url = await temporaryDatabaseUrl('postgres');
      const proxy = await proxyBefore(url);
      const [here, there] = [await openPostgres(proxy.url), await openPostgres(url)];
      let heard = 0;
      here.onBump(() => heard++);
      await vi.waitFor(() => expect(heard).toBe(1), PATIENCE);
      proxy.cut();
      await there.transact((tx) => there.signalBump(tx, ''));
      proxy.mend();
      await vi.waitFor(() => expect(heard).toBe(2), PATIENCE);
      await there.transact((tx) => there.signalBump(tx, ''));
      await vi.waitFor(() => expect(heard).toBe(3), PATIENCE);
      await Promise.all([here.close(), there.close()]);
    });
  });

  test('a newer version may add columns while an older one runs', async () => {
    const url = await temporaryDatabaseUrl('postgres');
    const [database, newer] = [await openDuringTest(url), await openDuringTest(url)];
    const read = () => database.query.selectFrom('revision').selectAll().orderBy('scope').execute();
    const readWithin = () => database.transact([], (tx) => tx.selectFrom('revision').selectAll().execute());
    await Promise.all(Array.from({ length: 5 }, read));
    await Promise.all(Array.from({ length: 4 }, readWithin));
    await newer.transact([], (tx) => tx.schema.alterTable('revision').addColumn('more', 'text').execute());
    expect(await Promise.all(Array.from({ length: 5 }, read))).toHaveLength(5);
    expect(await Promise.all(Array.from({ length: 4 }, readWithin))).toHaveLength(4);
  });

  test('a check of the whole database takes as long as it takes', async () => {
    const url = await temporaryDatabaseUrl('postgres');
    const limitOf = async (database: Database) =>
      (await sql`show statement_timeout`.execute(database.query)).rows;
    expect(await limitOf(await openDuringTest(url))).toEqual([{ statement_timeout: '10s' }]);
    const examined = await openDatabase(url, { ...optionsFor(url), forExamination: true });
    onTestFinished(() => examined.close());
    expect(await limitOf(examined)).toEqual([{ statement_timeout: '0' }]);
  });

  test('a read that has waited for a second while a column was added is answered', async () => {
    const url = await temporaryDatabaseUrl('postgres');
    const [database, newer] = [await openDuringTest(url), await openDuringTest(url)];
    const read = () => database.reports('a').selectFrom('revision').selectAll().execute();
    await Promise.all([read(), read()]);
    const waiting = await newer.transact([], async (tx) => {
      await tx.schema.alterTable('revision').addColumn('more', 'text').execute();
      const begun = [read(), read()];
      await sleep(1_200);
      return { begun };
    });
    for (const rows of await Promise.all(waiting.begun)) expect(rows).not.toHaveLength(0);
  });

  test('characters that its texts cannot store are replaced', async () => {
    const database = await withDatabase('postgres');
    const id = 'a\0b\uD800c';
    await database.transact([], (tx) => tx.insertInto('ledger_entry').values(entry(id)).execute());
    expect(await entryIds(database)).toEqual(['a\uFFFDb\uFFFDc']);
  });

  test('dangling references are found', async () => {
    const database = await withDatabase('postgres');
    expect(await database.integrityErrors()).toEqual([]);
    await database.transact([], async (tx) => {
      await sql`set local session_replication_role = replica`.execute(tx);
      const client = { id: 'c', account_id: 'nobody', name: 'n', secret_hash: 's' };
      await tx
        .insertInto('client')
        .values({ ...client, created_at: 1, deleted_at: null })
        .execute();
    });
    expect(await database.integrityErrors()).toEqual(['1 rows of client refer to a missing account']);
  });

  test('other tables of the database are left alone', async () => {
    const url = await emptyDatabaseUrl('postgres');
    const engine = await openPostgres(url);
    await engine.withExclusiveLock(async (tx) => {
      await sql`create schema other`.execute(tx);
      await sql`create table other.schema_migration (name integer)`.execute(tx);
    });
    await engine.close();
    expect(await entryIds(await openDuringTest(url))).toEqual([]);
  });
});
