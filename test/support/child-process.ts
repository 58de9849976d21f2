import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const RUNNER = fileURLToPath(new URL('run-typescript.mjs', import.meta.url));

/** A process of its own that runs a TypeScript module, and what it prints, line by line. */
export interface Child {
  readonly process: ChildProcess;
  readonly lines: AsyncIterable<string>;
  /** The exit code; null when a signal ended it. */
  readonly exited: Promise<number | null>;
}

/** Starts the module in a further node process, which is killed at the latest when the test is over. */
export function startChild(moduleUrl: URL, ...args: string[]): Child {
  const child = spawn(process.execPath, [RUNNER, fileURLToPath(moduleUrl), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  return { process: child, lines: createInterface({ input: child.stdout }), exited };
}
