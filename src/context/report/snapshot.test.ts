import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workspaceForEachTest } from '../../testkit/for-each-test.ts';
import { ScratchWorkspace } from '../../testkit/scratch-workspace.ts';
import { BootstrapFileHelper } from '../bootstrap-file-helper.ts';
import type { Composition } from '../compose.ts';
import { compareSnapshots, takeSnapshot } from './snapshot.ts';

const scratch = workspaceForEachTest({ 'AGENTS.md': 'One.\nTwo.\nThree.\n', 'TOOLS.md': 'Use rg.\n' });

const take = (composition: Composition) =>
  takeSnapshot(composition, [{ path: composition.report.situation.workspaceDir, name: '<workspace>' }]);

describe('a snapshot', () => {
  it('names the folders of this machine and lists the sections with their authors', async () => {
    const { text, sections } = take(await scratch.compose());
    expect(text).toContain('Your working directory is <workspace>.');
    expect(text).not.toContain(scratch.root);
    expect(sections.map(({ title, chars, authors }) => [title, chars, authors])).toEqual([
      ['Opening', sections[0]?.chars, [['atrium: preamble', 6]]],
      ['AGENTS.md', 16, [['<workspace>/AGENTS.md', 3]]],
      ['TOOLS.md', 7, [['<workspace>/TOOLS.md', 1]]],
    ]);
  });

  it('is the same again, and differs by section, author and line after an edit', async () => {
    const committed = take(await scratch.compose());
    expect(compareSnapshots(committed, take(await scratch.compose()))).toEqual([]);
    await scratch.write('AGENTS.md', 'One.\n2.\nThree.\n');
    expect(compareSnapshots(committed, take(await scratch.compose()))).toEqual([
      {
        title: 'AGENTS.md',
        change: 'changed',
        stability: 'static',
        chars: { left: 16, right: 14 },
        authors: ['<workspace>/AGENTS.md'],
        lines: [
          { kind: 'same', text: 'One.', author: '<workspace>/AGENTS.md' },
          { kind: 'removed', text: 'Two.', author: '<workspace>/AGENTS.md' },
          { kind: 'added', text: '2.', author: '<workspace>/AGENTS.md' },
          { kind: 'same', text: 'Three.', author: '<workspace>/AGENTS.md' },
        ],
      },
    ]);
  });

  it('remembers who wrote a line that is gone', async () => {
    const undo = scratch.on('kind', (context) =>
      new BootstrapFileHelper(context).appendToFile('AGENTS.md', 'Be kind.'),
    );
    const committed = take(await scratch.compose());
    undo();
    const [difference, ...others] = compareSnapshots(committed, take(await scratch.compose()));
    expect(others).toEqual([]);
    expect(difference).toMatchObject({ title: 'AGENTS.md', authors: ['handler kind'] });
  });

  it('holds in another checkout, for files that are copied and for files that are generated there', async () => {
    const elsewhere = join(scratch.root, 'other-checkout');
    await scratch.write('TOOLS.md', `The script is ${scratch.workspaceDir}/run.sh.\n`);
    await scratch.write('SOUL.md', `Home is ${scratch.workspaceDir}.\n`);
    const committed = take(await scratch.compose());
    expect(committed.text).toContain('Home is <workspace>.');
    await cp(scratch.workspaceDir, elsewhere, { recursive: true });
    const generated = await ScratchWorkspace.create();
    await cp(scratch.workspaceDir, generated.workspaceDir, { recursive: true });
    await generated.write('SOUL.md', `Home is ${generated.workspaceDir}.\n`);
    const copied = await scratch.compose({ input: { workspaceDir: elsewhere } });
    expect(compareSnapshots(committed, take(copied))).toEqual([]);
    expect(compareSnapshots(committed, take(await generated.compose()))).toEqual([]);
    await generated.remove();
  });

  it('still names what changed when its text no longer fits its index', async () => {
    const committed = take(await scratch.compose());
    await scratch.write('AGENTS.md', 'Else.\n');
    const torn = { ...committed, text: committed.text.slice(0, 40) };
    expect(compareSnapshots(torn, take(await scratch.compose()))).toMatchObject([
      { title: 'AGENTS.md', change: 'changed', authors: ['<workspace>/AGENTS.md'], lines: [] },
    ]);
  });

  it('survives text that cannot be written as it is', async () => {
    scratch.on('half', (context) => new BootstrapFileHelper(context).appendToFile('AGENTS.md', 'Half \ud83d pair.'));
    const taken = take(await scratch.compose());
    const read = { ...taken, text: Buffer.from(taken.text).toString() };
    expect(read.text).toBe(taken.text);
    expect(compareSnapshots(read, take(await scratch.compose()))).toEqual([]);
  });
});
