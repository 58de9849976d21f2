/** Squid, as Debian packages it, as the proxy of a company's network. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { freePort } from '../../scripts/free-port.mjs';
import { startPeer } from './peer-process.js';

const BINARY = '/usr/sbin/squid';
const BASIC_AUTH = '/usr/lib/squid/basic_ncsa_auth';
const START_MS = 10_000;

/** Says it where Squid is not installed. */
export function hasSquid(): boolean {
  const isInstalled = existsSync(BINARY);
  if (!isInstalled) process.stderr.write('SKIPPED: a gateway behind Squid: squid-openssl is not installed\n');
  return isInstalled;
}

export interface SquidOptions {
  /** Demanded of whoever calls through it. */
  readonly user?: { readonly name: string; readonly password: string };
  /** It also listens with TLS, for `localhost`, to which its URL leads. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

export interface Squid {
  /** Without user and password. */
  readonly url: string;
  /** Requests that have ended, tunnels among them: `CONNECT HOST:PORT STATUS USER`. */
  ended(): readonly string[];
  /** The targets of tunnels that are open now. */
  openTunnels(): Promise<readonly string[]>;
}

/** Starts one that ends with the test. */
export async function startSquid({ user, tls }: SquidOptions = {}): Promise<Squid> {
  const folder = mkdtempSync(join(tmpdir(), 'byway-squid-'));
  // As root it runs as a user of its own.
  chmodSync(folder, 0o777);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const at = (name: string) => join(folder, name);
  if (user !== undefined) {
    const hash = execFileSync('openssl', ['passwd', '-apr1', user.password], { encoding: 'utf8' });
    writeFileSync(at('users'), `${user.name}:${hash}`);
  }
  if (tls !== undefined) writeFileSync(at('proxy.pem'), tls.cert + tls.key);
  const tlsPort = await freePort();
  const configuration = (port: number) => {
    return [
      `http_port 127.0.0.1:${port}`,
      ...(tls === undefined ? [] : [`https_port 127.0.0.1:${tlsPort} tls-cert=${at('proxy.pem')}`]),
      ...[`pid_filename ${at('pid')}`, `coredump_dir ${folder}`, `cache_log ${at('cache.log')}`],
      ...['logformat ended %rm %ru %>Hs %un', `access_log stdio:${at('ended.log')} ended`],
      ...['cache deny all', 'cache_mem 8 MB', 'pinger_enable off', 'shutdown_lifetime 0 seconds'],
      ...['http_access allow manager localhost', 'http_access deny manager'],
      ...(user === undefined
        ? ['http_access allow localhost']
        : [
            `auth_param basic program ${BASIC_AUTH} ${at('users')}`,
            'auth_param basic children 1',
            'acl known proxy_auth REQUIRED',
            'http_access allow localhost known',
          ]),
      'http_access deny all',
      '',
    ].join('\n');
  };
  const root = await startPeer(
    {
      command: BINARY,
      args: (port) => {
        writeFileSync(at('squid.conf'), configuration(port));
        // Its shared memory has the name of the service, and is left behind by SIGKILL.
        return ['-N', '-n', `byway${port}`, '-f', at('squid.conf')];
      },
      readyPath: '/squid-internal-mgr/info',
      startMs: START_MS,
      endSignal: 'SIGTERM',
    },
    onTestFinished,
  );
  // It opens its ports one after the other, and answers at the first meanwhile.
  if (tls !== undefined) await vi.waitFor(() => accepts(tlsPort), { timeout: START_MS });
  return {
    url: tls === undefined ? root : `https://localhost:${tlsPort}`,
    ended: () =>
      readFileSync(at('ended.log'), 'utf8')
        .split('\n')
        .filter((line) => line !== '' && !line.includes('squid-internal-mgr')),
    async openTunnels() {
      const answer = await fetch(`${root}/squid-internal-mgr/active_requests`);
      return [...(await answer.text()).matchAll(/^uri (?!http)(\S+:\d+)$/gm)].map(
        ([, target = '']) => target,
      );
    },
  };
}

/** Rejects where nothing listens at the port. */
async function accepts(port: number): Promise<void> {
  const socket = connect(port, 'localhost');
  await once(socket, 'connect');
  socket.destroy();
}
