import { accessSync, constants, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { build, builtModules, COMPILED_MODULES } from './test/support/built-modules.mjs';
import { SlowestFirst } from './test/support/slowest-first.js';

// Once for all: the program that tests start, and the modules that they import.
build();

/** Tests that need programs beside Node: PostgreSQL, nginx, a browser. */
const PEERS = 'test/**/*.peers.test.ts';
/** Tests of the built server as a process of its own. */
const SYSTEM = 'test/**/*.system.test.ts';
/** Tests with hundreds of requests at once, with megabytes, or of real seconds of silence. */
const LOAD = 'test/**/*.load.test.ts';

const built = {
  plugins: [builtModules()],
  server: { deps: { external: [COMPILED_MODULES] } },
};

/** A file system in memory, where there is one with room: thousands of databases wait for the disk otherwise. */
const MEMORY = '/dev/shm';
const ROOM_BYTES = 2 * 1024 ** 3;

function inMemory(): { readonly TMPDIR?: string } {
  if (process.env.TMPDIR !== undefined) return {};
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    // Some tests write programs.
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === MEMORY);
    if (bavail * bsize < ROOM_BYTES || /\bnoexec\b/.test(mount ?? '')) return {};
    const folder = mkdtempSync(join(MEMORY, 'byway-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    return { TMPDIR: folder };
  } catch {
    return {};
  }
}

const IN_MEMORY = inMemory();

const project = (name: string, include: readonly string[], exclude: readonly string[] = []) => ({
  plugins: built.plugins,
  test: {
    name,
    // Files in memory count as memory of who writes them, which tests of the built server limit.
    env: name === 'node' || name === 'load' ? IN_MEMORY : {},
    include: [...include],
    exclude: [...exclude],
    server: built.server,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    pool: 'forks' as const,
    // Tests make much that is soon gone: a larger nursery takes a twentieth of the processor time less.
    execArgv: ['--max-semi-space-size=64'],
    isolate: false,
  },
});

export default defineConfig({
  plugins: built.plugins,
  test: {
    projects: [
      project('node', ['test/**/*.test.ts'], [PEERS, SYSTEM, LOAD]),
      project('peers', [PEERS]),
      project('system', [SYSTEM]),
      project('load', [LOAD]),
    ],
    server: built.server,
    globalSetup: ['test/support/sqlite-template.ts', 'test/support/postgres/postgres-server.ts'],
    // One more than CI has processors: a worker waits a part of its time, for processes, timeouts and disks. With two
    // more nothing ends earlier, and what has a timeout ends in it.
    maxWorkers: 3,
    sequence: { sequencer: SlowestFirst },
  },
});
