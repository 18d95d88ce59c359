// The tests of the inner loop: those that start no process and no worker thread, and that do not take seconds; a name
// `….process.test.ts` or `….slow.test.ts` says so. The clients of the chat platforms are left out, because nothing else
// depends on them: who works on one runs its folder. Scratch files lie in memory where the system has a folder for that,
// because these tests wait for the disk longer than they compute; the whole suite (`npm test`) keeps them on the
// disk. Properties are tried a fifth as often as in the whole suite. Two workers more than there are cores use the time
// in which the others wait.

import { accessSync, constants } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig, mergeConfig } from 'vitest/config';
import whole from './vitest.config.ts';

export default mergeConfig(
  whole,
  defineConfig({
    test: {
      exclude: ['**/node_modules/**', 'extensions/**', '**/*.process.test.ts', '**/*.slow.test.ts'],
      provide: { shareOfTries: 0.2 },
      maxWorkers: availableParallelism() + 2,
      experimental: { fsModuleCache: true },
      env: isWritable('/dev/shm') ? { TMPDIR: '/dev/shm' } : {},
    },
  }),
);

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
