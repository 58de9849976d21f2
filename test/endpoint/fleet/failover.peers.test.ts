/** What happens to PostgreSQL in the field, under load, with and without PgBouncer. `npm run failover` does it at 200 a second. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../src/store/open.js';
import { type OwnCluster, startOwnCluster } from '../../support/postgres/own-cluster.js';
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../../support/postgres/pgbouncer.js';
import { asAdministrator, newestPrograms } from '../../support/postgres/postgres-cluster.js';
import { makeSmallDisk } from '../../support/small-disk.js';
import { expectClean } from '../money/reserved.js';
import { type ServeOptions, serveFrom, temporaryDataDir } from '../serving.js';
import { standbyOf } from './standby.js';
import { loadSteadily, type Seen } from './steady-load.js';

/** All of it takes a quarter of an hour: by default what is worst, without a pooler. */
const IS_WHOLE = process.env.FAILOVER_RATE !== undefined;

/** Chats a second, and how long PostgreSQL stays as it was made; `npm run failover` sets more. */
const RATE = Number(process.env.FAILOVER_RATE ?? 40);
const AWAY_MS = Number(process.env.FAILOVER_SECONDS ?? 2) * 1_000;

/** Within this, after PostgreSQL is well again, every chat is served. */
const RECOVERY_MS = 5_000;
const TIMEOUT_MS = 120_000 + 2 * AWAY_MS;

const programs = newestPrograms();
const trusting = { hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'] };

/** How the gateway reaches PostgreSQL. */
type Way = 'direct' | 'behind PgBouncer' | 'behind PgBouncer in transaction mode';
const WAYS: readonly Way[] =
  IS_WHOLE && hasPgBouncer()
    ? ['direct', 'behind PgBouncer', 'behind PgBouncer in transaction mode']
    : ['direct'];

if (IS_WHOLE && !hasPgBouncer())
  process.stderr.write('No PgBouncer is installed: failovers are tried without it.\n');

/** The cluster by a way, and the PgBouncer that is in it. */
async function reach(way: Way, cluster: OwnCluster, direct: string) {
  await asAdministrator(cluster.url, 'create database app');
  if (way === 'direct') return { options: { databaseUrl: direct } as ServeOptions, bouncer: undefined };
  const mode = way === 'behind PgBouncer' ? 'session' : 'transaction';
  const server = `host=${cluster.folder} port=${cluster.port} user=byway`;
  const bouncer = await startPgBouncer(cluster.folder, { mode, server });
  onTestFinished(() => bouncer.stop());
  const databaseUrl = bouncer.url.replace('/postgres?', '/app?');
  return { options: { databaseUrl, ...(mode === 'transaction' && { databaseDirectUrl: direct }) }, bouncer };
}

/** Loads the gateway while `happen` happens; resolves to what clients saw, when everything was well again, and what was lost. */
async function underLoad(
  options: ServeOptions,
  lasting: string,
  happen: () => Promise<void>,
): Promise<{ seen: Seen; recoveredInMs: number }> {
  const dataDir = temporaryDataDir();
  const serving = await serveFrom(dataDir, options);
  const { apiKey } = await serving.keys;
  const load = loadSteadily(serving, apiKey, RATE);
  await sleep(1_000);
  await happen();
  const wellAt = performance.now();
  await sleep(RECOVERY_MS + 1_000);
  const seen = await load.stop();
  const ready = await fetch(serving.rest.replace('/api/v1', '/readyz'));
  expect(ready.status).toBe(200);
  await serving.stop();
  const database = await openDatabase(lasting);
  const rows = await database.query.selectFrom('generation').select('id').execute();
  await database.close();
  const recorded = new Set(rows.map(({ id }) => id));
  const lost = seen.acknowledged.filter((id) => !recorded.has(id));
  const recoveredInMs = Math.max(0, seen.lastRefusedAt - wellAt);
  report(seen, lost.length, recoveredInMs);
  expect(seen.others).toEqual([]);
  expect(lost).toEqual([]);
  expect(recoveredInMs).toBeLessThan(RECOVERY_MS);
  await expectClean(dataDir, lasting);
  return { seen, recoveredInMs };
}

function report(seen: Seen, lost: number, recoveredInMs: number): void {
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
  const others = [...new Set(seen.others.map((text) => text.slice(0, 120)))].slice(0, 3);
  process.stderr.write(
    `${expect.getState().currentTestName}: ${seen.sent} sent, ${seen.acknowledged.length} acknowledged, ${lost} of them lost, ` +
      `${seen.refused} answered 503 in ${seconds(seen.refusedForMs)}, the last ${seconds(recoveredInMs)} after PostgreSQL was well; ` +
      `/readyz was ${seen.wasUnready ? '503' : 'always 200'} meanwhile` +
      `${others.length === 0 ? '' : `; ${seen.others.length} others: ${others.join(' | ')}`}\n`,
  );
}

describe.runIf(programs !== undefined)('PostgreSQL under load', () => {
  describe.each(WAYS)('%s', (way) => {
    const through = async (cluster: OwnCluster, direct = cluster.url.replace('/postgres?', '/app?')) => ({
      ...(await reach(way, cluster, direct)),
      lasting: direct,
    });

    const endings = [
      ['killed', 'SIGQUIT'],
      ['restarted', 'SIGINT'],
    ] as const;
    it.each(IS_WHOLE ? endings : endings.slice(0, 1))(
      'that is %s: refused while it is away, nothing lost',
      async (_name, signal) => {
        const cluster = await startOwnCluster(trusting);
        const { options, lasting } = await through(cluster);
        const { seen } = await underLoad(options, lasting, async () => {
          await cluster.stop(signal);
          await sleep(AWAY_MS);
          await cluster.start();
        });
        expect(seen.wasUnready).toBe(true);
      },
      TIMEOUT_MS,
    );

    it(
      'that is demoted: the standby that was promoted serves, nothing lost',
      async () => {
        const settings = { wal_level: 'replica', max_wal_senders: '10', synchronous_standby_names: '*' };
        const primary = await startOwnCluster({ ...trusting, settings });
        const standby = await standbyOf(programs ?? '', primary);
        const both = `postgres://byway@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/app`;
        const { options, bouncer, lasting } = await through(primary, both);
        const { seen } = await underLoad(options, lasting, () => failOver(primary, standby, bouncer));
        expect(seen.refused).toBeGreaterThan(0);
        expect(seen.wasUnready).toBe(true);
      },
      TIMEOUT_MS,
    );

    it.runIf(IS_WHOLE)(
      'that is made read-only and writable again: sessions of then are not kept',
      async () => {
        const cluster = await startOwnCluster(trusting);
        const { options, lasting } = await through(cluster);
        const { seen } = await underLoad(options, lasting, async () => {
          // The setting of the database is that of sessions that begin later.
          await asAdministrator(cluster.url, 'alter database app set default_transaction_read_only = on');
          await asAdministrator(cluster.url, TERMINATE);
          await sleep(AWAY_MS);
          await asAdministrator(cluster.url, 'alter database app reset default_transaction_read_only');
        });
        expect(seen.wasUnready).toBe(true);
      },
      TIMEOUT_MS,
    );

    const disk = IS_WHOLE ? makeSmallDisk(384) : undefined;
    it.runIf(disk !== undefined)(
      'whose disk is full: refused until there is room, nothing lost',
      async () => {
        onTestFinished(() => disk?.remove());
        const settings = { max_wal_size: '64MB', min_wal_size: '32MB', wal_recycle: 'off' };
        const cluster = await startOwnCluster({ ...trusting, settings, folder: disk?.folder ?? '' });
        onTestFinished(() => cluster.stop());
        const { options, lasting } = await through(cluster);
        const { seen } = await underLoad(options, lasting, async () => {
          disk?.fill();
          await sleep(AWAY_MS * 3);
          disk?.free();
          // It may have ended for want of room for its log.
          await asAdministrator(cluster.url, 'select 1').catch(() => cluster.start());
        });
        expect(seen.refused === 0 || seen.wasUnready).toBe(true);
      },
      TIMEOUT_MS,
    );
  });

  it(
    'whose password is changed: the file with the password is read again',
    async () => {
      const cluster = await startOwnCluster({ hba: ['host all all 127.0.0.1/32 scram-sha-256'] });
      const change = (password: string) =>
        asAdministrator(cluster.url, `alter role app password '${password}'`);
      await asAdministrator(cluster.url, 'create role app login superuser');
      await change('first');
      await asAdministrator(cluster.url, 'create database app owner app');
      const folder = mkdtempSync(join(tmpdir(), 'byway-passfile-'));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const passfile = join(folder, 'pgpass');
      const write = (password: string) => writeFileSync(passfile, `*:*:*:app:${password}\n`, { mode: 0o600 });
      write('first');
      const databaseUrl = `postgres://app@127.0.0.1:${cluster.port}/app?passfile=${passfile}`;
      const { seen } = await underLoad({ databaseUrl }, databaseUrl, async () => {
        await change('second');
        await asAdministrator(cluster.url, TERMINATE);
        await sleep(AWAY_MS);
        write('second');
      });
      expect(seen.refused).toBeGreaterThan(0);
      expect(seen.wasUnready).toBe(true);
    },
    TIMEOUT_MS,
  );
});

const TERMINATE = `select pg_terminate_backend(pid) from pg_stat_activity where datname = 'app' and pid <> pg_backend_pid()`;

/** The primary becomes a standby: it starts again read-only, where poolers and old addresses still lead. */
async function failOver(
  primary: OwnCluster,
  standby: OwnCluster,
  bouncer: PgBouncer | undefined,
): Promise<void> {
  await primary.stop('SIGINT');
  writeFileSync(join(primary.folder, 'data', 'standby.signal'), '');
  execFileSync('chown', [
    '--reference',
    join(primary.folder, 'data'),
    join(primary.folder, 'data', 'standby.signal'),
  ]);
  await primary.start();
  await sleep(AWAY_MS);
  await asAdministrator(standby.url, `alter system set synchronous_standby_names = ''`);
  await asAdministrator(standby.url, 'select pg_promote()');
  await asAdministrator(standby.url, 'select pg_reload_conf()');
  bouncer?.pointTo(`host=${standby.folder} port=${standby.port} user=byway`);
}
