import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testHook } from './test-hook.ts';

// The tests of the scaffold show that tests run, pass and fail.
describe('testing a hook', () => {
  it('that has no tests is an error, not a success', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'atrium-untested-'));
    await expect(testHook({ name: 'untested', dir }, {})).rejects.toMatchObject({ code: 'ATRIUM_HOOK_NO_TESTS' });
    await rm(dir, { recursive: true });
  });
});
