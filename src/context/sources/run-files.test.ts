import { expect, it } from 'vitest';
import { workspaceForEachTest } from '../../testkit/for-each-test.ts';
import { RunFiles } from './run-files.ts';

const scratch = workspaceForEachTest({ 'AGENTS.md': 'one' });

it('shows one run one state of each file, and the next run the next', async () => {
  const roots = [scratch.workspaceDir];
  const path = scratch.path('AGENTS.md');
  const run = new RunFiles(scratch.files);
  const [first, same] = await Promise.all([run.read(path, roots), run.read(path, roots)]);
  await scratch.write('AGENTS.md', 'two');
  expect(same).toBe(first);
  expect(await run.read(path, roots)).toMatchObject({ text: 'one' });
  expect(await new RunFiles(scratch.files).read(path, roots)).toMatchObject({ text: 'two' });
});

it('shows one run one listing of each folder', async () => {
  const run = new RunFiles(scratch.files);
  expect(await run.list(scratch.workspaceDir)).toEqual(['AGENTS.md']);
  await scratch.write('SOUL.md', 'soul');
  expect(await run.list(scratch.workspaceDir)).toEqual(['AGENTS.md']);
  expect(await new RunFiles(scratch.files).list(scratch.workspaceDir)).toEqual(['AGENTS.md', 'SOUL.md']);
});

it('keeps answers for different roots apart', async () => {
  const run = new RunFiles(scratch.files);
  const path = scratch.path('AGENTS.md');
  expect(await run.read(path, [scratch.outsideDir])).toMatchObject({ reason: 'outside-workspace' });
  expect(await run.read(path, [scratch.workspaceDir])).toMatchObject({ text: 'one' });
});

it('asks the source for what it does not remember', async () => {
  const run = new RunFiles(scratch.files);
  expect(await run.isDirectory(scratch.workspaceDir)).toBe(true);
  expect(await run.realPath(scratch.path('AGENTS.md'))).toBe(scratch.path('AGENTS.md'));
});
