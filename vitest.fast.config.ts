// The tests of the inner loop: those that start no process and no worker thread. Their scratch files lie in memory where
// the system has a folder for that, because these tests wait for the disk longer than they compute; the whole suite
// (`npm test`) keeps them on the disk. One worker more than there are cores uses the time in which the others wait.

import { accessSync, constants } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig, mergeConfig } from 'vitest/config';
import whole from './vitest.config.ts';

export default mergeConfig(
  whole,
  defineConfig({
    test: {
      exclude: ['**/node_modules/**', '**/*.process.test.ts'],
      maxWorkers: availableParallelism() + 1,
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
