import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** A child process and its output, line by line. */
export interface Child {
  readonly process: ChildProcess;
  readonly lines: AsyncIterable<string>;
  /** The exit code; null when a signal ended it. */
  readonly exited: Promise<number | null>;
}

const RUN_TYPESCRIPT = fileURLToPath(new URL('run-typescript.mjs', import.meta.url));

/** Starts the module, of either language, in a further node process, which is killed at the latest when the test is over. */
export function startChild(moduleUrl: URL, ...args: string[]): Child {
  const module = fileURLToPath(moduleUrl);
  const runner = module.endsWith('.ts') ? [RUN_TYPESCRIPT] : [];
  const child = spawn(process.execPath, [...runner, module, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  return { process: child, lines: createInterface({ input: child.stdout }), exited };
}
