import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'conformance/**/*.test.ts', '*.test.ts'],
    testTimeout: 20_000,
    // Property tests and process tests share two cores on small machines; a worker per core is enough.
    pool: 'forks',
  },
});
