import { defineConfig } from 'vitest/config';

/** The fast tests of the mutated parts, without the PostgreSQL server of the whole suite. */
export default defineConfig({
  test: {
    include: [
      'test/{routing,ledger,identity}/*.test.ts',
      'test/byok/filters.test.ts',
      'test/catalog/{catalog,listing,native,price,visibility}.test.ts',
      'test/accounts/{policy,policy-reader,caller-policies,known-names,preferences,rules}.test.ts',
    ],
    setupFiles: 'test/mutation/setup.ts',
    testTimeout: 20_000,
    pool: 'forks',
    maxWorkers: 1,
    isolate: false,
  },
});
