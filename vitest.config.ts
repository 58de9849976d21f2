import { defineConfig } from 'vitest/config';
import { build, builtModules, COMPILED_MODULES } from './test/support/built-modules.mjs';
import { SlowestFirst } from './test/support/slowest-first.js';

// Once for all: the program that tests start, and the modules that they import.
build();

export default defineConfig({
  plugins: [builtModules()],
  test: {
    globalSetup: 'test/support/postgres/postgres-server.ts',
    server: { deps: { external: [COMPILED_MODULES] } },
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
    pool: 'forks',
    // One more than CI has processors: a worker waits a part of its time, for processes, timeouts and disks. With two
    // more nothing ends earlier, and what has a timeout ends in it.
    maxWorkers: 3,
    isolate: false,
    sequence: { sequencer: SlowestFirst },
  },
});
