import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { BIN, buildByway } from './byway.js';
import { makeDatabase, usualKind } from './database.js';
import { directSetting } from './postgres/pgbouncer.js';

/** The built `byway serve` in a process of its own, after its first start. */
export interface ServerProcess {
  readonly pid: number;
  readonly port: number;
  readonly apiKey: string;
  readonly managementKey: string;
  readonly operatorKey: string;
  /** Its output so far. */
  readonly output: readonly string[];
  /** Its peak memory since the start, or since `forgetPeak`; 0 on systems other than Linux. */
  peakBytes(): number;
  /** Resets the peak. */
  forgetPeak(): void;
  signal(name: NodeJS.Signals): void;
  /** Sends SIGTERM; the exit code, null when a signal ended it. */
  stop(): Promise<number | null>;
}

/** Starts one with these settings, a free port and an empty data directory; the caller stops it. */
export async function startServerProcess(env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  await buildByway();
  const dataDir = mkdtempSync(join(tmpdir(), 'byway-process-'));
  const shared = usualKind() === 'postgres' ? await makeDatabase() : undefined;
  const own = {
    HOST: '127.0.0.1',
    PORT: '0',
    BYWAY_DATA_DIR: dataDir,
    ...(shared !== undefined && { BYWAY_DATABASE_URL: shared.url }),
  };
  const child = spawn(process.execPath, [BIN, 'serve', '--print-keys'], {
    env: {
      ...process.env,
      ...own,
      ...directSetting(env.BYWAY_DATABASE_URL ?? shared?.url),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const output: string[] = [];
  const lines = createInterface({ input: child.stdout }).on('line', (line) => output.push(line));
  const written = (pattern: RegExp) => {
    const found = output.map((line) => pattern.exec(line)?.[1]).find((match) => match !== undefined);
    if (found === undefined) throw new Error(`the server did not write ${pattern}:\n${output.join('\n')}`);
    return found;
  };
  await new Promise<void>((resolve) => {
    lines.on('line', (line) => /try:$/i.test(line) && resolve());
    lines.once('close', resolve);
  });
  return {
    pid: child.pid ?? 0,
    port: Number(written(/^Byway is ready at https?:\/\/[^:]+:(\d+)\./)),
    apiKey: written(/^ {2}API key +(\S+)$/),
    managementKey: written(/^ {2}management key +(\S+)$/),
    operatorKey: written(/^ {2}operator key +(\S+)$/),
    output,
    peakBytes: () => peakBytesOf(child.pid ?? 0),
    forgetPeak() {
      if (process.platform === 'linux') writeFileSync(`/proc/${child.pid}/clear_refs`, '5');
    },
    signal: (name) => void child.kill(name),
    async stop() {
      child.kill('SIGTERM');
      const code = await exited;
      await shared?.remove();
      rmSync(dataDir, { recursive: true, force: true });
      return code;
    },
  };
}

function peakBytesOf(pid: number): number {
  if (process.platform !== 'linux') return 0;
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}
