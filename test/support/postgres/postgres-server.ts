/**
 * A private PostgreSQL server for one test run, started when the first test needs it. Vitest's global set-up, which runs
 * in the workers' parent process.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../../src/store/open.js';
import { startPgBouncer, testedPoolMode } from './pgbouncer.js';
import { databaseOn, FOLDER_VARIABLE, type PostgresAccess, WANTED } from './postgres-access.js';
import { asAdministrator, makeCluster, newestPrograms } from './postgres-cluster.js';
import { usualKind } from './usual-kind.js';

/** Durability does not matter, and many databases are open at once. */
const SETTINGS = { synchronous_commit: 'off', max_connections: '300' };

/**
 * Tells the workers where to request the server, and starts it for the first request. Returns the tear-down function. A run
 * of nothing but tests that need Node alone has none.
 */
export default function setUp({ vitest }: TestProject): (() => Promise<void>) | undefined {
  const needsNodeAlone = vitest.projects.every(({ name }) => name === 'node');
  if (needsNodeAlone && usualKind() === 'sqlite') return undefined;
  const given = process.env.BYWAY_TEST_POSTGRES_URL;
  const programs = given === undefined ? newestPrograms() : '';
  if (programs === undefined) {
    process.stderr.write(
      'No PostgreSQL is installed and BYWAY_TEST_POSTGRES_URL is not set: tests run on SQLite alone.\n',
    );
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), 'byway-postgres-'));
  process.env[FOLDER_VARIABLE] = folder;
  let server: Promise<Server> | undefined;
  const watcher = watch(folder, () => {
    if (server !== undefined || !existsSync(join(folder, WANTED))) return;
    server = given === undefined ? startServer(programs, folder) : externalServer(given);
    server.then(
      (started) => tell(folder, 'ready', JSON.stringify(started.access)),
      (error) => tell(folder, 'failed', String(error?.stderr ?? error)),
    );
  });
  return async () => {
    watcher.close();
    await server?.then(
      (started) => started.stop(),
      () => {},
    );
    rmSync(folder, { recursive: true, force: true });
  };
}

interface Server {
  readonly access: PostgresAccess;
  stop(): Promise<void>;
}

/** Writes atomically: a worker may read at any moment. */
function tell(folder: string, name: string, text: string): void {
  const written = join(folder, `${name}.new`);
  writeFileSync(written, text);
  execFile('mv', [written, join(folder, name)]);
}

/** The prefix of this run's databases: others may use the same server. */
const PREFIX = `byway_test_${process.pid}_`;
const NAMES = { template: `${PREFIX}template`, prefix: PREFIX };

async function externalServer(url: string): Promise<Server> {
  const access = { url, ...NAMES };
  await makeTemplate(access);
  return { access, stop: () => removeDatabases(access) };
}

async function removeDatabases({ url, prefix }: PostgresAccess): Promise<void> {
  const { rows } = await asAdministrator(url, 'select datname as name from pg_database');
  for (const { name } of rows) {
    if (name.startsWith(prefix)) await asAdministrator(url, `drop database ${name} with (force)`);
  }
}

async function startServer(programs: string, folder: string): Promise<Server> {
  const cluster = await makeCluster(programs, folder, SETTINGS);
  const access = { url: cluster.url, ...NAMES };
  try {
    await cluster.start();
    await makeTemplate(access);
    const mode = testedPoolMode();
    if (mode === undefined) return { access, stop: () => cluster.stop() };
    const bouncer = await startPgBouncer(folder, { mode });
    const stop = async () => void (await Promise.all([bouncer.stop(), cluster.stop()]));
    return { access: { ...access, url: bouncer.url }, stop };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

/** Every test's database is a copy of this one. */
async function makeTemplate({ url, template }: PostgresAccess): Promise<void> {
  await asAdministrator(url, `create database ${template}`);
  await (await openDatabase(databaseOn(url, template))).close();
}
