import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../src/store/open.js';
import { startOwnCluster } from '../../support/postgres/own-cluster.js';
import { asAdministrator, newestPrograms } from '../../support/postgres/postgres-cluster.js';

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
});
