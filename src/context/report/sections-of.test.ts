import { describe, expect, it } from 'vitest';
import { workspaceForEachTest } from '../../testkit/for-each-test.ts';
import { BootstrapFileHelper } from '../bootstrap-file-helper.ts';
import { sectionsOf } from './sections-of.ts';

const scratch = workspaceForEachTest({
  'AGENTS.md': `# Rules\n\n${'Be brief. '.repeat(40)}\n`,
  'TOOLS.md': 'Use rg.\n',
  'HEARTBEAT.md': `${'- look at the mail\n'.repeat(40)}`,
});

describe('the sections of a prompt', () => {
  it('are what Atrium says and the layers, in order, each without its heading', async () => {
    const skills = [{ name: 'pdf', description: 'Reads PDF files.', path: '/skills/pdf/SKILL.md' }];
    const composition = await scratch.compose({ skills });
    const sections = sectionsOf(composition);
    expect(sections.map(({ title, stability }) => [title, stability])).toEqual([
      ['Opening', 'static'],
      ['Skills', 'static'],
      ['AGENTS.md', 'static'],
      ['TOOLS.md', 'static'],
      ['HEARTBEAT.md', 'session'],
    ]);
    expect(sections[1]?.text).toMatch(/^Read the file .*\n\n- pdf: Reads PDF files\. \(\/skills\/pdf\/SKILL\.md\)\n$/);
    expect(sections[3]?.text).toBe('Use rg.');
  });

  it('leave nothing out but headings', async () => {
    const composition = await scratch.compose({ policy: { maxChars: 200 } });
    const covered = sectionsOf(composition);
    expect(covered.filter(({ title }) => title === 'Cut to fit').map(({ id, stability }) => [id, stability])).toEqual([
      ['product:cut-notice', 'static'],
      ['product:cut-notice#2', 'session'],
    ]);
    let rest = '';
    let at = 0;
    for (const { start, end } of covered) {
      expect(start).toBeGreaterThanOrEqual(at);
      rest += composition.prompt.text.slice(at, start);
      at = end;
    }
    rest += composition.prompt.text.slice(at);
    expect(rest.replace(/^#{1,2} .*$/gm, '').trim()).toBe('');
  });

  it('have names of their own, even where two handlers bring a file of one name', async () => {
    for (const id of ['one', 'two'])
      scratch.on(id, (context) => new BootstrapFileHelper(context).addFile('NOTES.md', `From ${id}.`));
    const ids = sectionsOf(await scratch.compose()).map(({ id }) => id);
    expect(ids.filter((id) => id.startsWith('file:NOTES.md'))).toEqual(['file:NOTES.md', 'file:NOTES.md#2']);
  });
});
