// Loads handler files in the test's own thread, for tests that are not about where their code runs: starting a worker
// takes longer than most of these tests.

import type { HandlerFiles } from '../gateway/composer/handler-files.ts';
import { loadHookHandler } from '../hooks/packs/load-hook-handler.ts';

export const HANDLERS_IN_THIS_THREAD: Pick<HandlerFiles, 'load' | 'refresh' | 'forget'> = {
  load: (file) => loadHookHandler(file),
  refresh: () => {},
  forget: () => {},
};
