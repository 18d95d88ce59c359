import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{src,conformance,console,scripts}/**/*.test.ts', '*.test.ts'],
    testTimeout: 20_000,
    // A process per core, kept for all of its files: starting one for each file took as long as the tests themselves. So
    // no file may leave anything behind in a module.
    pool: 'forks',
    isolate: false,
    maxWorkers: 2,
  },
});
