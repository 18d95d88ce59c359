import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workspaceForEachTest } from '../../testkit/for-each-test.ts';
import { BootstrapFileHelper } from '../bootstrap-file-helper.ts';
import { createGlobalFilesHandler } from '../handlers/global-files/handler.ts';
import { explainFile, explainLines } from './explain-file.ts';

const scratch = workspaceForEachTest({
  'AGENTS.md': '# Rules\n\nBe brief.\nNever delete anything.\n',
  'TOOLS.md': Array.from({ length: 80 }, (_, i) => `- tool ${(i % 40) + 1} is here\n`).join(''),
  'MEMORY.md': 'Ana likes tea.\n',
});

describe('explainLines', () => {
  it('says where a line of a file stands', async () => {
    const composition = await scratch.compose();
    const explanation = explainLines(composition, scratch.path('AGENTS.md'), [3, 4]);
    expect(explanation).toMatchObject({ presence: 'whole', text: 'Be brief.\nNever delete anything.', absent: [] });
    const [place] = explanation?.places ?? [];
    expect(composition.prompt.text.slice(place?.start, place?.end)).toBe('Be brief.\nNever delete anything.');
  });

  it('finds the line itself where several read the same', async () => {
    const composition = await scratch.compose({ policy: { maxChars: 700 } });
    const path = scratch.path('TOOLS.md');
    expect(explainLines(composition, path, [10, 10])?.presence).toBe('whole');
    expect(explainLines(composition, path, [50, 50])).toMatchObject({
      presence: 'none',
      absent: [{ reason: 'over-budget', lines: [50, 50] }],
    });
  });

  it('knows a line of which only a part was left', async () => {
    const composition = await scratch.compose({ policy: { maxChars: 700 } });
    const [first = 0] = composition.report.cuts[0]?.lines ?? [];
    const explanation = explainLines(composition, scratch.path('TOOLS.md'), [first, first]);
    expect(explanation?.presence).toBe('part');
    expect(explanation?.absent).toMatchObject([{ reason: 'over-budget' }]);
  });

  it('follows a global file into the prompt', async () => {
    const path = await scratch.writeState('AGENTS.md', 'House rules.\nSecond line.\n');
    scratch.register('global-files', createGlobalFilesHandler({ stateDir: scratch.stateDir }));
    const explanation = explainLines(await scratch.compose(), path, [2, 2]);
    expect(explanation).toMatchObject({
      presence: 'whole',
      places: [{ parts: [{ origin: { kind: 'handler', id: 'global-files', path, lines: [2, 2] } }] }],
    });
  });

  it('says who keeps a line out, from the text on disk when composition has none', async () => {
    const composition = await scratch.compose({ sessionKey: 'agent:main:subagent:x' });
    expect(explainLines(composition, scratch.path('MEMORY.md'), [1, 1], { text: 'Ana likes tea.\n' })).toMatchObject({
      presence: 'none',
      absent: [{ reason: 'filtered-session', path: scratch.path('MEMORY.md') }],
    });
  });

  it('knows no line beyond the end', async () => {
    const composition = await scratch.compose();
    expect(explainLines(composition, scratch.path('AGENTS.md'), [5, 5])).toBeUndefined();
    expect(explainLines(composition, scratch.path('AGENTS.md'), [0, 0])).toBeUndefined();
  });
});

describe('explainFile', () => {
  it('lists the places of a file, and the cuts in it', async () => {
    const composition = await scratch.compose({ policy: { maxChars: 700 } });
    expect(explainFile(composition, scratch.path('AGENTS.md'))).toMatchObject({ presence: 'whole', absent: [] });
    const trimmed = explainFile(composition, scratch.path('TOOLS.md'));
    expect(trimmed.presence).toBe('part');
    expect(trimmed.places).toHaveLength(2);
    expect(trimmed.absent).toMatchObject([{ reason: 'over-budget' }]);
    expect(trimmed.file).toMatchObject({ name: 'TOOLS.md', status: 'trimmed' });
  });

  it('has a reason for every file that is not there', async () => {
    await scratch.write('IDENTITY.md', '  \n');
    await mkdir(scratch.path('USER.md'));
    await symlink(await scratch.writeOutside('soul.md', 'Elsewhere.'), scratch.path('SOUL.md'));
    await scratch.write('HEARTBEAT.md', 'x'.repeat(2 * 1024 * 1024 + 1));
    scratch.on('no-tools', (context) => new BootstrapFileHelper(context).removeFile('TOOLS.md'));
    const composition = await scratch.compose({ sessionKey: 'agent:main:discord:channel:1' });
    const reasonOf = (name: string) => explainFile(composition, join(scratch.workspaceDir, name)).absent[0]?.reason;
    expect(reasonOf('IDENTITY.md')).toBe('empty');
    expect(reasonOf('USER.md')).toBe('missing');
    expect(reasonOf('SOUL.md')).toBe('outside-workspace');
    expect(reasonOf('HEARTBEAT.md')).toBe('too-large');
    expect(reasonOf('TOOLS.md')).toBe('removed-by-handler');
    expect(reasonOf('MEMORY.md')).toBe('private-surface');
    expect(reasonOf('BOOTSTRAP.md')).toBe('missing');
  });

  it('knows what a catalogue took from a file', async () => {
    const path = scratch.path('skills/pdf/SKILL.md');
    const composition = await scratch.compose({ skills: [{ name: 'pdf', description: 'Reads PDF files.', path }] });
    expect(explainFile(composition, path)).toMatchObject({ presence: 'part' });
    const source = { text: '---\nname: pdf\ndescription: Reads PDF files.\n---\n' };
    expect(explainLines(composition, path, [3, 3], source)?.places).toHaveLength(1);
    expect(explainLines(composition, path, [4, 4], source)?.presence).toBe('none');
  });
});
