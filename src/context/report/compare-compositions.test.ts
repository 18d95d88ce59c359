import { describe, expect, it } from 'vitest';
import { workspaceForEachTest } from '../../testkit/for-each-test.ts';
import { BootstrapFileHelper } from '../bootstrap-file-helper.ts';
import { compareCompositions } from './compare-compositions.ts';

const scratch = workspaceForEachTest({ 'AGENTS.md': 'One.\nTwo.\nThree.\n', 'TOOLS.md': 'Use rg.\n' });

const changes = (comparison: ReturnType<typeof compareCompositions>) =>
  comparison.sections.filter(({ change }) => change !== 'same').map(({ title, change }) => [title, change]);

describe('two compositions', () => {
  it('are the same when nothing differs', async () => {
    const comparison = compareCompositions(await scratch.compose(), await scratch.compose());
    expect(comparison.same).toBe(true);
    expect(changes(comparison)).toEqual([]);
  });

  it('differ in sections that came, went or changed, with the author of each line', async () => {
    const left = await scratch.compose();
    await scratch.write('AGENTS.md', 'One.\n2.\nThree.\n');
    await scratch.write('SOUL.md', 'Warm.\n');
    scratch.on('no-tools', (context) => new BootstrapFileHelper(context).removeFile('TOOLS.md'));
    const comparison = compareCompositions(left, await scratch.compose());
    expect(changes(comparison)).toEqual([
      ['AGENTS.md', 'changed'],
      ['TOOLS.md', 'removed'],
      ['SOUL.md', 'added'],
    ]);
    const path = scratch.path('AGENTS.md');
    expect(comparison.sections.find(({ title }) => title === 'AGENTS.md')?.lines).toEqual([
      { kind: 'same', text: 'One.', origins: [{ kind: 'file', path, lines: [1, 1] }] },
      { kind: 'removed', text: 'Two.', origins: [{ kind: 'file', path, lines: [2, 2] }] },
      { kind: 'added', text: '2.', origins: [{ kind: 'file', path, lines: [2, 2] }] },
      { kind: 'same', text: 'Three.', origins: [{ kind: 'file', path, lines: [3, 3] }] },
    ]);
  });

  it('tell text that only changed its place from text that changed', async () => {
    const bring = (stability: 'static' | 'run') =>
      scratch.on('notes', (context) => new BootstrapFileHelper(context).addFile('NOTES.md', 'Note this.'), {
        stability,
      });
    const undo = bring('static');
    const left = await scratch.compose();
    undo();
    bring('run');
    const comparison = compareCompositions(left, await scratch.compose());
    expect(comparison.same).toBe(false);
    expect(changes(comparison)).toEqual([['NOTES.md', 'moved']]);
  });
});
