import { accessSync, constants, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { build, builtModules, COMPILED_MODULES } from './test/support/built-modules.mjs';
import { SlowestFirst } from './test/support/slowest-first.js';

// Once for all: the program that tests start, and the modules that they import.
build();

/** Of files whose tests need programs beside Node: PostgreSQL, nginx, a browser. */
const PEERS = '.peers.test.ts';
/** Of the built server as a process of its own. */
const SYSTEM = '.system.test.ts';
/** With hundreds of requests at once, with megabytes, or of real seconds of silence. */
const LOAD = '.load.test.ts';

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

const project = (name: string, include: readonly string[], exclude: readonly string[]) => ({
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

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The projects, with the files below `folders` that are not in `except`. */
export function configure(folders: readonly string[] = ['test/'], except: readonly string[] = []) {
  const filesOf = (suffix: string) => folders.map((folder) => `${folder}**/*${suffix}`);
  const others = [PEERS, SYSTEM, LOAD].flatMap(filesOf);
  return defineConfig({
    plugins: built.plugins,
    test: {
      projects: [
        project('node', filesOf('.test.ts'), [...others, ...except]),
        project('peers', filesOf(PEERS), except),
        project('system', filesOf(SYSTEM), except),
        project('load', filesOf(LOAD), except),
      ],
      server: built.server,
      globalSetup: [
        here('test/support/sqlite-template.ts'),
        here('test/support/postgres/postgres-server.ts'),
      ],
      // One more than CI has processors: a worker waits a part of its time, for processes, timeouts and disks. With two
      // more nothing ends earlier, and what has a timeout ends in it.
      maxWorkers: 3,
      sequence: { sequencer: SlowestFirst },
    },
  });
}

export default configure();
