import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished, vi } from 'vitest';
import { runByway } from '../../src/cli/byway.js';
import { emptyDatabaseUrl, usualKind } from './database.js';
import { directSetting } from './postgres/pgbouncer.js';

/** The output of a command, and its exit code. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Environment = Readonly<Record<string, string>>;

/** The built entry point of the package. */
export const BIN: string = JSON.parse(readFileSync('package.json', 'utf8')).bin.byway;

/** Once in a test process: its sources don't change. */
let built: Promise<unknown> | undefined;

/** Builds the program, and the dashboard with it, where the build is older than its sources. */
export async function buildByway(): Promise<void> {
  built ??= promisify(execFile)(process.execPath, ['scripts/prepare.mjs']);
  await built;
}

/** The path of a folder that does not exist yet; removed after the test. */
export function emptyDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), 'byway-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'data');
}

/** The environment of a new installation on the default kind of database; removed after the test. */
export async function emptyInstallation() {
  const folder = { BYWAY_DATA_DIR: emptyDataDir() };
  if (usualKind() === 'sqlite') return folder;
  const url = await emptyDatabaseUrl();
  return { ...folder, BYWAY_DATABASE_URL: url, ...directSetting(url) };
}

/** Runs the built program, or that of another version, to its end in a process of its own. */
export async function byway(
  args: readonly string[],
  env: Environment,
  stdin = '',
  program = BIN,
): Promise<Ended> {
  const child = spawnByway(args, env, program);
  child.process.stdin?.end(stdin);
  const [code] = await once(child.process, 'close');
  return { code, stdout: child.stdout(), stderr: child.stderr() };
}

/** Starts the built program, or that of another version; killed at the latest after the test. */
export function spawnByway(args: readonly string[], env: Environment, program = BIN) {
  const child: ChildProcess = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env.PATH, ...directSetting(env.BYWAY_DATABASE_URL), ...env },
    stdio: 'pipe',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const printed = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    printed.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    printed.stderr += text;
  });
  return { process: child, stdout: () => printed.stdout, stderr: () => printed.stderr };
}

/** Runs a command in this process, which is faster, for the many cases that need no process of their own. */
export async function inProcess(args: readonly string[], env: Environment, stdin = ''): Promise<Ended> {
  const all = { ...directSetting(env.BYWAY_DATABASE_URL), ...env };
  const ours = Object.keys(process.env).filter((name) => /^(HOST|PORT|BYWAY_.*)$/.test(name));
  for (const name of ours) vi.stubEnv(name, undefined);
  for (const [name, value] of Object.entries(all)) vi.stubEnv(name, value);
  const printed = { stdout: '', stderr: '' };
  const output = (name: keyof typeof printed) => ({
    write: (text: string) => {
      printed[name] += text;
    },
  });
  try {
    const code = await runByway(args, {
      stdin: (async function* () {
        if (stdin !== '') yield Buffer.from(stdin);
      })(),
      stdout: output('stdout'),
      stderr: output('stderr'),
    });
    return { code, ...printed };
  } finally {
    vi.unstubAllEnvs();
  }
}

/** The JSON document that a command has printed to stdout. */
export function documentOf({ stdout }: Ended) {
  return JSON.parse(stdout);
}

/** The text with placeholders for everything that differs between runs. */
export function withoutRandomness(text: string): string {
  return text
    .replace(/bw-(v1|mgmt|op)-[0-9a-f]{64}/g, '<$1 secret>')
    .replace(/bw-(v1|mgmt|op)[0-9a-f-]{1,4}\.\.\.[0-9a-f]{3}/g, '<$1 label>')
    .replace(/\b[0-9a-f]{64}\b/g, '<hash>')
    .replace(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g, '<uuid>')
    .replace(/\buser_[0-9a-f]{24}\b/g, '<user>')
    .replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<instant>');
}
