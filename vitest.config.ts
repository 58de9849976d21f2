import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: 'test/support/postgres-server.ts',
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
    pool: 'forks',
    maxWorkers: 2,
    isolate: false,
  },
});
