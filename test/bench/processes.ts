import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import * as http from 'node:http';
import * as net from 'node:net';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../scripts/free-port.mjs';

/** A server in a process of its own. */
export interface Server {
  readonly pid: number;
  readonly port: number;
  /** Without a trailing slash. */
  readonly url: string;
  /** From the process's start to its first ready answer. */
  readonly readyAfterMs: number;
  /** All that it printed so far. */
  output(): string;
  /** Time on a processor so far, in milliseconds; undefined where the system does not report it. */
  cpuMs(): number | undefined;
  /** Memory now, in bytes; undefined where the system does not report it. */
  residentBytes(): number | undefined;
  stop(): Promise<void>;
}

/** Whether servers and loaders each have a processor of their own. */
export const isPinned = cpus().length > 1 && isInstalled('taskset');

const CPU = { server: '0', loader: '1' };

/** Every processor there is, as `taskset` lists them. */
export const ALL_CPUS = `0-${cpus().length - 1}`;

/** As `npm start` has them. */
const NODE_FLAGS = ['--v8-pool-size=1'];
const START_MS = 30_000;
const POLL_MS = 2;
const TICK_MS = 10;
const PAGE_BYTES = 4096;

/** Whether a program can be started. */
export function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
}

/** Starts a built gateway with the environment, after modules that change it, on its processor or on any. */
export async function startByway(
  env: Readonly<Record<string, string>>,
  preloads: string[] = [],
  cpu: string | null = CPU.server,
  program = path('../../dist/src/main.js'),
): Promise<Server> {
  const port = await freePort();
  const imports = preloads.flatMap((module) => ['--import', path(module)]);
  return start(
    [...NODE_FLAGS, ...imports, program, 'serve', '--print-keys'],
    port,
    '/readyz',
    {
      HOST: '127.0.0.1',
      PORT: String(port),
      BYWAY_LOG_LEVEL: 'warn',
      BYWAY_ADMIN_RATE_PER_MINUTE: '0',
      ...env,
    },
    cpu,
  );
}

/** Builds the gateway with a module in the place of one of its own, both given from the root; the path of its program. */
export function buildVariant(folder: string, module: string, replacement: string): string {
  const variant = join(folder, 'variant');
  mkdirSync(variant);
  symlinkSync(path('../../node_modules'), join(variant, 'node_modules'));
  copyFileSync(path('../../package.json'), join(variant, 'package.json'));
  const bundle = path('../../scripts/bundle.mjs');
  execFileSync(process.execPath, [bundle, variant, `${module}=${replacement}`], { cwd: path('../..') });
  return join(variant, 'main.js');
}

/** Starts a server of `peers/`. It is ready once it answers at `readyPath`; without one, once it listens. */
export async function startPeer(name: string, settings: object, readyPath?: string): Promise<Server> {
  const port = await freePort();
  return start(peer(name, settings, port), port, readyPath, {});
}

/** Starts a server of `peers/` that servers call: it runs beside the loader. */
export async function startProvider(name: string, settings: object): Promise<Server> {
  const port = await freePort();
  return start(peer(name, settings, port), port, undefined, {}, CPU.loader);
}

/** Starts the gateway of `@portkey-ai/gateway`. */
export async function startPortkey(): Promise<Server> {
  const port = await freePort();
  const program = path('../../node_modules/@portkey-ai/gateway/build/start-server.js');
  return start([program, '--headless', `--port=${port}`], port, undefined, {});
}

/** Runs a program to its end on the servers' processor, and gives the milliseconds that it took. Throws when it fails. */
export async function runProgram(program: string, ...args: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  await runLoader(process.execPath, [path(program), ...args], CPU.server);
  return performance.now() - startedAt;
}

/** Runs a script of `loaders/` with its settings beside the servers and gives what it printed, which is JSON. */
export async function runScript<T>(name: string, settings: object): Promise<T> {
  const script = path(`loaders/${name}.mjs`);
  return JSON.parse(await runLoader(process.execPath, [script, JSON.stringify(settings)])) as T;
}

/** Runs a program beside the servers, or on these processors, and gives what it printed. Throws when it fails. */
export async function runLoader(
  program: string,
  args: readonly string[],
  cpus = CPU.loader,
): Promise<string> {
  const child = spawnOn(cpus, program, args, {});
  const output = collect(child);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${program} failed:\n${output()}`);
  return output();
}

function peer(name: string, settings: object, port: number): string[] {
  return [path(`peers/${name}.mjs`), JSON.stringify({ ...settings, port })];
}

function path(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}

async function start(
  args: readonly string[],
  port: number,
  readyPath: string | undefined,
  env: Readonly<Record<string, string>>,
  cpu: string | null = CPU.server,
): Promise<Server> {
  const startedAt = performance.now();
  const child = spawnOn(cpu, process.execPath, args, env);
  const output = collect(child);
  const exited = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
  };
  while (!(await (readyPath === undefined ? listens(port) : answers(port, readyPath)))) {
    const isLate = performance.now() - startedAt > START_MS;
    if (isLate) child.kill('SIGKILL');
    if (isLate || child.exitCode !== null) throw new Error(`a server did not start:\n${output()}`);
    await pause(POLL_MS);
  }
  const readyAfterMs = performance.now() - startedAt;
  const { pid = 0 } = child;
  return {
    pid,
    port,
    url: `http://127.0.0.1:${port}`,
    readyAfterMs,
    output,
    stop,
    cpuMs: () => cpuMsOf(pid),
    residentBytes: () => statOf(pid, ([pages = 0]) => pages * PAGE_BYTES, 23),
  };
}

function spawnOn(
  cpu: string | null,
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): ChildProcess {
  const [command = program, ...rest] = [
    ...(isPinned && cpu !== null ? ['taskset', '-c', cpu] : []),
    program,
    ...args,
  ];
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

/** Those that run; none outlives the benchmark. */
const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

function collect(child: ChildProcess): () => string {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return () => output;
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

function answers(port: number, readyPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = http.get({ host: '127.0.0.1', port, path: readyPath, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.once('error', () => resolve(false));
  });
}

/**
 * Time on a processor so far, also of its children that have ended, in milliseconds; undefined where the system does
 * not report it.
 */
export function cpuMsOf(pid: number): number | undefined {
  return statOf(pid, (fields) => fields.slice(0, 4).reduce((sum, ticks) => sum + ticks) * TICK_MS, 13);
}

/** Numbers of the process's line in /proc from the field with this index on, counted from 0. */
function statOf(pid: number, read: (fields: number[]) => number, from: number): number | undefined {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return undefined;
  const line = readFileSync(file, 'utf8');
  // The second field is the program's name in brackets; it may hold spaces.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return read(fields.slice(from - 2).map(Number));
}
