import { defineConfig } from 'vitest/config';
import { SlowestFirst } from './test/support/slowest-first.js';

export default defineConfig({
  test: {
    globalSetup: 'test/support/postgres/postgres-server.ts',
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
    pool: 'forks',
    // Twice as many as CI has processors: a worker waits a good part of its time, for processes, timeouts and disks.
    maxWorkers: 4,
    isolate: false,
    sequence: { sequencer: SlowestFirst },
  },
});
