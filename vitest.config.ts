import { defineConfig } from 'vitest/config';
import { SlowestFirst } from './test/support/slowest-first.js';

export default defineConfig({
  test: {
    globalSetup: 'test/support/postgres/postgres-server.ts',
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
