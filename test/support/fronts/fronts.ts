/** nginx and Caddy, as they are packaged, in front of a gateway. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../scripts/free-port.mjs';

/** A proxy in front of a gateway, ended by whoever started it. */
export interface Front {
  readonly port: number;
  stop(): Promise<void>;
}

export type FrontName = 'nginx' | 'Caddy';

const BINARIES: Readonly<Record<FrontName, readonly string[]>> = {
  nginx: ['/usr/sbin/nginx', 'nginx'],
  Caddy: ['/usr/bin/caddy', 'caddy'],
};

/** The program of the front; undefined where it is not installed, which is said. */
export function frontBinary(name: FrontName): string | undefined {
  const flag = name === 'nginx' ? '-v' : 'version';
  const found = BINARIES[name].find((path) => spawnSync(path, [flag]).status === 0);
  if (found === undefined)
    process.stderr.write(`SKIPPED: ${name} in front of the gateway: it is not installed\n`);
  return found;
}

/** The configuration as a page of the documentation has it: blocks in the front's language, in their order. */
export function documented(name: FrontName, index: number): string {
  const language = name === 'nginx' ? 'nginx' : 'caddyfile';
  const page = readFileSync('docs/operations.md', 'utf8');
  const blocks = [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))];
  const found = blocks[index]?.[1];
  if (found === undefined) throw new Error(`docs/operations.md has no block ${index} in ${language}`);
  return found;
}

/**
 * Starts the front with the configuration, in which the addresses of the documentation (`listen 80`, `listen 8443`,
 * `ai.example.com` as a site, `127.0.0.1:8080`) stand for its own port and for that of the gateway at `url`. `files` are
 * beside it.
 */
export async function startFront(
  name: FrontName,
  configuration: string,
  url: string,
  files: Readonly<Record<string, string>> = {},
): Promise<Front> {
  const binary = frontBinary(name);
  if (binary === undefined) throw new Error(`${name} is not installed`);
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'byway-front-'));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  const here = configuration.replaceAll('127.0.0.1:8080', new URL(url).host);
  const child =
    name === 'nginx' ? startNginx(binary, here, port, folder) : startCaddy(binary, here, port, folder);
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  while (!(await listens(port))) {
    if (child.exitCode !== null) throw new Error(`${name} did not start: ${said}`);
    await sleep(20);
  }
  return {
    port,
    async stop() {
      const ended = child.exitCode === null ? once(child, 'exit') : undefined;
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function startNginx(binary: string, configuration: string, port: number, folder: string): ChildProcess {
  const here = configuration.replaceAll(/listen (?:80|8443)\b/g, `listen 127.0.0.1:${port}`);
  const servers = here.includes('listen ') ? here : `server {\nlisten 127.0.0.1:${port};\n${here}\n}`;
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${folder}/nginx.pid; error_log stderr warn;
events {}
http { access_log off; ${temporary.join(' ')}
${servers}
}`,
  );
  return spawn(binary, ['-e', 'stderr', '-p', folder, '-c', file], { stdio: ['ignore', 'ignore', 'pipe'] });
}

function startCaddy(binary: string, configuration: string, port: number, folder: string): ChildProcess {
  const sites = configuration.replaceAll(/\b(\w+\.example\.com)(?=[ ,])/g, `http://$1:${port}`);
  const all = sites.includes('http://') ? sites : `http://:${port} {\n${sites}\n}`;
  const file = join(folder, 'Caddyfile');
  writeFileSync(
    file,
    `{
admin off
auto_https off
servers {
protocols h1 h2c
}
}
${all}`,
  );
  return spawn(binary, ['run', '--config', file, '--adapter', 'caddyfile'], {
    env: { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
