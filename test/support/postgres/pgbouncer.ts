/** Private PgBouncers before private PostgreSQL servers: Debian's program, on a socket in the same folder. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { untilReady } from './postgres-cluster.js';

const PROGRAM = '/usr/sbin/pgbouncer';

export type PoolMode = 'session' | 'transaction' | 'statement';

/** The port that names its socket; that of PostgreSQL is the default one. */
const BOUNCER_PORT = 6_432;

export interface PgBouncer {
  /** The URL of the server through it. */
  readonly url: string;
  /** Another server is behind it from now on, for connections that it opens to it. */
  pointTo(server: string): void;
  stop(): Promise<void>;
}

export interface PgBouncerOptions {
  readonly mode: PoolMode;
  /** Of the server behind it; default: the one whose socket is in the folder. */
  readonly server?: string;
  /** Further lines of its section `[pgbouncer]`. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly port?: number;
}

export function hasPgBouncer(): boolean {
  return existsSync(PROGRAM);
}

/** Starts one in the folder of a cluster. It ends with this process. */
export async function startPgBouncer(folder: string, options: PgBouncerOptions): Promise<PgBouncer> {
  const { mode, server = `host=${folder} user=byway`, settings = {}, port = BOUNCER_PORT } = options;
  const file = join(folder, `pgbouncer-${port}.ini`);
  const lines = Object.entries({
    pool_mode: mode,
    auth_type: 'any',
    listen_port: String(port),
    unix_socket_dir: folder,
    max_client_conn: '2000',
    default_pool_size: '100',
    server_login_retry: '0.2',
    // Otherwise databases can't be copied for a while after their last client.
    server_idle_timeout: '10',
    ...settings,
  }).map(([name, value]) => `${name} = ${value}`);
  const write = (target: string) =>
    writeFileSync(file, `[databases]\n* = ${target}\n[pgbouncer]\n${lines.join('\n')}\n`);
  write(server);
  const [program = '', ...args] = ['setpriv', '--pdeathsig=TERM', ...unprivileged(file), PROGRAM, '-q', file];
  const child = spawn(program, args, { stdio: 'ignore' });
  const url = `postgres://byway@localhost:${port}/postgres?host=${folder}`;
  await untilReady(child, url);
  return {
    url,
    pointTo(target) {
      write(target);
      child.kill('SIGHUP');
    },
    async stop() {
      const ended = child.exitCode === null ? once(child, 'exit') : undefined;
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** It refuses to run as root. */
function unprivileged(file: string): string[] {
  if (process.getuid?.() !== 0) return [];
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'postgres'])));
  chownSync(file, Number(uid), Number(gid));
  return [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
}

/** PostgreSQL itself, where the URL leads through a PgBouncer of this folder; otherwise undefined. */
export function directUrlOf(url: string): string | undefined {
  if (!url.startsWith('postgres') || !URL.canParse(url)) return undefined;
  const direct = new URL(url);
  if (Number(direct.port) !== BOUNCER_PORT) return undefined;
  direct.port = '';
  return direct.href;
}

/** The mode of the PgBouncer that this test run's databases are behind (`BYWAY_TEST_DATABASE=pgbouncer-MODE`). */
export function testedPoolMode(): PoolMode | undefined {
  const [, mode] = /^pgbouncer-(session|transaction)$/.exec(process.env.BYWAY_TEST_DATABASE ?? '') ?? [];
  return mode as PoolMode | undefined;
}

/** Settings for a URL of this test run: where sessions are pooled by transaction, that of PostgreSQL itself too. */
export function directSetting(url: string | undefined): { readonly BYWAY_DATABASE_DIRECT_URL?: string } {
  const direct = testedPoolMode() === 'transaction' && url !== undefined ? directUrlOf(url) : undefined;
  return direct === undefined ? {} : { BYWAY_DATABASE_DIRECT_URL: direct };
}
