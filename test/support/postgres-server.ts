/**
 * A private PostgreSQL server for one test run, started when the first test wants it: in a temporary folder, on a
 * socket there, without a flush. Vitest's global set-up, which runs in the process that the workers belong to.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client, type QueryResult } from 'pg';
import { openDatabase } from '../../src/store/open.js';
import { databaseOn, FOLDER_VARIABLE, type PostgresAccess, WANTED } from './postgres-access.js';

const run = promisify(execFile);

/** Where Debian and its like put the programs of each version. */
const INSTALLED = '/usr/lib/postgresql';

/** Tests want speed and lose nothing when the machine stops. Many databases are open at once. */
const SETTINGS = {
  ...{ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' },
  ...{ wal_level: 'minimal', max_wal_senders: '0', max_connections: '300', shared_buffers: '64MB' },
  ...{ listen_addresses: '', log_min_messages: 'panic' },
};

const START_TIMEOUT_MS = 20_000;

/** Tells the workers where to ask, and answers the first that does. Gives what ends it all. */
export default function setUp(): (() => Promise<void>) | undefined {
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

/** The whole text or nothing: a worker may look at any moment. */
function tell(folder: string, name: string, text: string): void {
  const written = join(folder, `${name}.new`);
  writeFileSync(written, text);
  execFile('mv', [written, join(folder, name)]);
}

function newestPrograms(): string | undefined {
  const versions = existsSync(INSTALLED) ? readdirSync(INSTALLED).map(Number).filter(Boolean) : [];
  const [newest] = versions.toSorted((a, b) => b - a);
  const programs = join(INSTALLED, String(newest), 'bin');
  return existsSync(join(programs, 'postgres')) ? programs : undefined;
}

/** What this run calls its databases: others may use the same server. */
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
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  const user = await unprivileged([folder, data]);
  const [command = '', ...before] = [...user, join(programs, 'initdb')];
  // Another order of texts than ours: what depends on the order of the database fails.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US'];
  await run(command, [...before, '-D', data, '-U', 'byway', '-A', 'trust', '--no-sync', ...locale]);
  const settings = Object.entries({ ...SETTINGS, unix_socket_directories: folder });
  const options = settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  // Ends with this process, also when that is killed.
  const [program = '', ...args] = [
    'setpriv',
    '--pdeathsig=QUIT',
    ...user.slice(1),
    join(programs, 'postgres'),
  ];
  const child = spawn(program, [...args, '-D', data, ...options], { stdio: ['ignore', 'ignore', 'inherit'] });
  const access = { url: `postgres://byway@localhost/postgres?host=${folder}`, ...NAMES };
  try {
    await untilReady(child, access.url);
    await makeTemplate(access);
  } catch (error) {
    await end(child);
    throw error;
  }
  return { access, stop: () => end(child) };
}

/** PostgreSQL refuses to run as root: what to run it with instead, and the folders made that user's. */
async function unprivileged(folders: readonly string[]): Promise<string[]> {
  if (process.getuid?.() !== 0) return [];
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (flag) => (await run('id', [flag, 'postgres'])).stdout),
  );
  for (const folder of folders) chownSync(folder, Number(uid), Number(gid));
  return ['setpriv', `--reuid=${Number(uid)}`, `--regid=${Number(gid)}`, '--clear-groups'];
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  const giveUpAt = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      return void (await asAdministrator(url, 'select 1'));
    } catch (error) {
      if (child.exitCode !== null || Date.now() > giveUpAt) throw error;
      await sleep(20);
    }
  }
}

/** Every test's database is a copy of this one. */
async function makeTemplate({ url, template }: PostgresAccess): Promise<void> {
  await asAdministrator(url, `create database ${template}`);
  await (await openDatabase(databaseOn(url, template))).close();
}

async function asAdministrator(url: string, statement: string): Promise<QueryResult<{ name: string }>> {
  const client = new Client(url);
  client.on('error', () => {});
  await client.connect();
  return client.query(statement).finally(() => client.end());
}

async function end(child: ChildProcess): Promise<void> {
  const ended = child.exitCode === null ? once(child, 'exit') : undefined;
  child.kill('SIGQUIT');
  await ended;
}
