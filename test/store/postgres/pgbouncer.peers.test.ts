import { describe, expect, it, onTestFinished } from 'vitest';
import { startOwnCluster } from '../../support/postgres/own-cluster.js';
import { hasPgBouncer, startPgBouncer } from '../../support/postgres/pgbouncer.js';
import { asAdministrator, newestPrograms } from '../../support/postgres/postgres-cluster.js';
import { words } from './operator-words.js';

if (!hasPgBouncer())
  process.stderr.write('No PgBouncer is installed: what is in front of it is not tried.\n');

describe.runIf(hasPgBouncer() && newestPrograms() !== undefined)('behind PgBouncer', () => {
  const POOLED =
    'a pooler in transaction mode is in front of PostgreSQL: use session mode, or name PostgreSQL itself in BYWAY_DATABASE_DIRECT_URL for locks and notifications';

  it('session mode is as good as direct, transaction mode needs the direct URL, statement mode is refused', async () => {
    const cluster = await startOwnCluster();
    const run = (statement: string) => asAdministrator(cluster.url, statement);
    await run('create database app');
    await run('create database other');
    const server = `host=${cluster.folder} port=${cluster.port} user=byway`;
    const through = async (mode: 'session' | 'transaction' | 'statement', port: number) => {
      const bouncer = await startPgBouncer(cluster.folder, { mode, server, port });
      onTestFinished(() => bouncer.stop());
      return (database: string) => bouncer.url.replace('/postgres?', `/${database}?`);
    };
    const direct = (database: string) => cluster.url.replace('/postgres?', `/${database}?`);
    const [session, transaction, statement] = [
      await through('session', 6_001),
      await through('transaction', 6_002),
      await through('statement', 6_003),
    ];
    expect(await words(session('app'))).toBe('opened');
    expect(await words(transaction('app'))).toBe(POOLED);
    expect(await words(transaction('app'), direct('app'))).toBe('opened');
    expect(await words(transaction('app'), transaction('app'))).toBe(
      'BYWAY_DATABASE_DIRECT_URL must name PostgreSQL itself: its sessions are pooled',
    );
    expect(await words(transaction('app'), direct('other'))).toBe(
      'BYWAY_DATABASE_DIRECT_URL must name the same server, database and schema as BYWAY_DATABASE_URL',
    );
    expect(await words(statement('app'))).toBe(
      'a pooler in statement mode is in front of PostgreSQL: use session mode, since Byway needs transactions',
    );
    expect(await words(session('nowhere'))).toContain('database "nowhere"');
    await cluster.stop();
    // PgBouncer lets clients wait at first.
    expect(await words(session('app'))).toMatch(
      /^the pooler at socket .* can't reach PostgreSQL: |^socket .* did not answer in time: /,
    );
  }, 60_000);
});
