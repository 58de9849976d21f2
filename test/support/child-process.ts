import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { buildByway } from './byway.js';

/** A child process and its output, line by line. */
export interface Child {
  readonly process: ChildProcess;
  readonly lines: AsyncIterable<string>;
  /** The exit code; null when a signal ended it. */
  readonly exited: Promise<number | null>;
}

/**
 * Starts the module in another node process, which is killed at the latest after the test. It is plain JavaScript and
 * may import the built program, as users do: from TypeScript, starting takes seconds.
 */
export async function startChild(moduleUrl: URL, ...args: string[]): Promise<Child> {
  await buildByway();
  const child = spawn(process.execPath, [fileURLToPath(moduleUrl), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  return { process: child, lines: createInterface({ input: child.stdout }), exited };
}
