// What every test of a file begins with: made before each test, and removed after it. Call these at the top of the
// file.

import { afterEach, beforeEach } from 'vitest';
import { ScratchStore } from './scratch-store.ts';
import { type ScratchFiles, ScratchWorkspace } from './scratch-workspace.ts';

export function workspaceForEachTest(files?: ScratchFiles): ScratchWorkspace {
  const scratch = new ScratchWorkspace();
  beforeEach(() => scratch.open(files));
  afterEach(() => scratch.remove());
  return scratch;
}

export function storeForEachTest(): ScratchStore {
  const scratch = new ScratchStore();
  beforeEach(() => scratch.open());
  afterEach(() => scratch.remove());
  return scratch;
}
