import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{src,extensions,promises,conformance,console,scripts,bench}/**/*.test.ts', '*.test.ts'],
    setupFiles: ['scripts/guard-processes.ts', 'scripts/patient-waits.ts'],
    expect: { poll: { timeout: 30_000 } },
    // So long that a busy machine makes no test fail; one that hangs is still found.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A process per core and two more, because many tests wait for processes that they have started. Each is kept for all of
    // its files: starting one for each file took as long as the tests themselves. So no file may leave anything behind in a
    // module.
    pool: 'forks',
    isolate: false,
    maxWorkers: availableParallelism() + 2,
  },
});
