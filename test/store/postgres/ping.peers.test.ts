import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openDatabase } from '../../../src/store/open.js';
import { startOwnCluster } from '../../support/postgres/own-cluster.js';
import { asAdministrator, newestPrograms } from '../../support/postgres/postgres-cluster.js';
import { entry } from '../rows.js';

const TERMINATE = `select pg_terminate_backend(pid) from pg_stat_activity where datname = 'app' and pid <> pg_backend_pid()`;

describe.runIf(newestPrograms() !== undefined)('PostgreSQL is ready', () => {
  it('only while an ordinary user of it may write, though it may read all the time', async () => {
    const { url, port } = await startOwnCluster({ hba: ['host all all 127.0.0.1/32 trust'] });
    const run = (statement: string) => asAdministrator(url, statement);
    await run('create role app login');
    await run('create database app owner app');
    const database = await openDatabase(`postgres://app@127.0.0.1:${port}/app`);
    onTestFinished(() => database.close());
    const read = () => database.query.selectFrom('revision').selectAll().execute();
    const unready = { reason: 'database_unavailable' };
    const patience = { timeout: 10_000 };
    await database.ping();
    await run('alter database app set default_transaction_read_only = on');
    await run(TERMINATE);
    await expect(database.ping()).rejects.toMatchObject(unready);
    expect(await read()).not.toEqual([]);
    await run('alter database app reset default_transaction_read_only');
    await expect.poll(() => database.ping().then(() => true, String), patience).toBe(true);
    const inside = url.replace('/postgres?', '/app?');
    await asAdministrator(inside, 'alter table revision owner to byway');
    await asAdministrator(inside, 'grant select on revision to app');
    await expect(database.ping()).rejects.toThrow();
    expect(await read()).not.toEqual([]);
  });

  /** What an admission and a settlement write. */
  const WRITTEN = {
    reservation: ['insert', 'delete'],
    stream_journal: ['insert'],
    generation: ['insert'],
    ledger_entry: ['insert'],
    spend_total: ['insert', 'update'],
    usage_rollup: ['insert'],
    usage_daily: ['insert'],
  };

  it('only while it may write every table of a chat, and while nobody has locked one; what is refused so is 503', async () => {
    const { url, port } = await startOwnCluster({ hba: ['host all all 127.0.0.1/32 trust'] });
    await asAdministrator(url, 'create role app login');
    await asAdministrator(url, 'create database app owner app');
    const database = await openDatabase(`postgres://app@127.0.0.1:${port}/app`);
    onTestFinished(() => database.close());
    const run = (statement: string) => asAdministrator(url.replace('/postgres?', '/app?'), statement);
    const isReady = () =>
      database.ping().then(
        () => true,
        ({ reason }: { reason?: string }) => reason,
      );
    await vi.waitFor(async () => expect(await isReady()).toBe(true), 10_000);
    // What a write of its own has proved is no longer asked.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    for (const [table, privileges] of Object.entries(WRITTEN)) {
      for (const privilege of privileges) {
        await run(`revoke ${privilege} on ${table} from app`);
        expect([table, privilege, await isReady()]).toEqual([table, privilege, 'database_unavailable']);
        await run(`grant ${privilege} on ${table} to app`);
        expect(await isReady()).toBe(true);
      }
    }
    await run('revoke insert on ledger_entry from app');
    await expect(
      database.transact([], (tx) => tx.insertInto('ledger_entry').values(entry('a')).execute()),
    ).rejects.toMatchObject({
      reason: 'database_unavailable',
      cause: { message: expect.stringContaining('user "app" lacks a permission in database "app"') },
    });
    await run('grant insert on ledger_entry to app');
    const locked = run('begin; lock table spend_total in exclusive mode; select pg_sleep(2); commit');
    await new Promise((resolve) => setTimeout(resolve, 300));
    const asked = performance.now();
    await database.ping();
    expect(performance.now() - asked).toBeGreaterThan(800);
    await locked;
  });
});
