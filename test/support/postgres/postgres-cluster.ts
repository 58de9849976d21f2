/** Private PostgreSQL servers: in a temporary folder, on a socket there, without fsync. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client, type QueryResult } from 'pg';

const run = promisify(execFile);

/** The folder of each version's programs on Debian and its derivatives. */
const INSTALLED = '/usr/lib/postgresql';

/** Settings for speed. */
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  shared_buffers: '64MB',
  listen_addresses: '',
  log_min_messages: 'panic',
};

const START_TIMEOUT_MS = 20_000;

/** A server that can be stopped and started again. */
export interface Cluster {
  /** Of a user who may create databases. */
  readonly url: string;
  /** Resolves once it answers. */
  start(): Promise<void>;
  /** Kills it, like a crash; with SIGINT it closes all connections and writes everything first. */
  stop(signal?: 'SIGQUIT' | 'SIGINT'): Promise<void>;
}

/** The folder with the programs of the newest version that is installed. */
export function newestPrograms(): string | undefined {
  const versions = existsSync(INSTALLED) ? readdirSync(INSTALLED).map(Number).filter(Boolean) : [];
  const [newest] = versions.toSorted((a, b) => b - a);
  const programs = join(INSTALLED, String(newest), 'bin');
  return existsSync(join(programs, 'postgres')) ? programs : undefined;
}

/** Makes one in the folder, which must exist; it does not run yet. */
export async function makeCluster(
  programs: string,
  folder: string,
  settings: Readonly<Record<string, string>>,
): Promise<Cluster> {
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  const user = await unprivileged([folder, data]);
  const [command = '', ...before] = [...user, join(programs, 'initdb')];
  // A collation other than ours, so that tests fail for code that depends on the database's order.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US'];
  await run(command, [...before, '-D', data, '-U', 'byway', '-A', 'trust', '--no-sync', ...locale]);
  return runCluster(programs, folder, settings);
}

/** The same for a folder that has the data of a server already. */
export async function runCluster(
  programs: string,
  folder: string,
  settings: Readonly<Record<string, string>>,
): Promise<Cluster> {
  const data = join(folder, 'data');
  const user = await unprivileged([folder, data]);
  if (user.length > 0) await run('chown', ['-R', '--reference', folder, data]);
  const all = Object.entries({ ...SETTINGS, ...settings, unix_socket_directories: folder });
  const options = all.flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  // Ends with this process, also when that is killed.
  const [program = '', ...args] = [
    'setpriv',
    '--pdeathsig=QUIT',
    ...user.slice(1),
    join(programs, 'postgres'),
  ];
  const url = `postgres://byway@localhost${settings.port === undefined ? '' : `:${settings.port}`}/postgres?host=${folder}`;
  let child: ChildProcess | undefined;
  return {
    url,
    async start() {
      child = spawn(program, [...args, '-D', data, ...options], { stdio: ['ignore', 'ignore', 'inherit'] });
      await untilReady(child, url);
    },
    async stop(signal = 'SIGQUIT') {
      const ended = child?.exitCode === null ? once(child, 'exit') : undefined;
      child?.kill(signal);
      await ended;
    },
  };
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

/** Resolves when the URL takes statements; throws the last error when it does not in time, or the process has ended. */
export async function untilReady(child: ChildProcess, url: string): Promise<void> {
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

/** Runs one statement on a connection of its own. */
export async function asAdministrator(
  url: string,
  statement: string,
): Promise<QueryResult<{ name: string }>> {
  const client = new Client(url);
  client.on('error', () => {});
  await client.connect();
  return client.query(statement).finally(() => client.end());
}
