import { link, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workspaceForEachTest } from '../../../testkit/for-each-test.ts';
import type { Composition } from '../../compose.ts';
import { createExtraFilesHandler } from './handler.ts';
import { loadExtraBootstrapFiles } from './load-extra-files.ts';

const scratch = workspaceForEachTest({
  'AGENTS.md': 'root rules',
  'packages/a/AGENTS.md': 'rules of a',
  'packages/b/AGENTS.md': 'rules of b',
  'packages/b/MEMORY.md': 'memory of b',
  'packages/b/NOTES.md': 'notes of b',
});

function composeWith(patterns: string[], situation = {}): Promise<Composition> {
  const undo = scratch.register('bootstrap-extra-files', createExtraFilesHandler({ patterns }));
  return scratch.compose(situation).finally(undo);
}
const extras = ({ files }: Composition) =>
  files.filter(({ missing, path }) => !missing && path !== scratch.path('AGENTS.md')).map(({ content }) => content);
const diagnose = async (pattern: string) =>
  (await loadExtraBootstrapFiles(scratch.files, scratch.workspaceDir, [pattern])).diagnostics.map(
    ({ reason }) => reason,
  );

describe('extra files', () => {
  it('are added by path, after the others, titled by where they are', async () => {
    const composition = await composeWith(['packages/a/AGENTS.md']);
    expect(extras(composition)).toEqual(['rules of a']);
    expect(composition.prompt.text).toContain('\n## packages/a/AGENTS.md\n\nrules of a\n');
    expect(composition.prompt.text.indexOf('root rules')).toBeLessThan(composition.prompt.text.indexOf('rules of a'));
  });

  it('are added by pattern, in the order of their paths', async () => {
    expect(extras(await composeWith(['packages/*/AGENTS.md']))).toEqual(['rules of a', 'rules of b']);
    expect(extras(await composeWith(['**/AGENTS.md']))).toEqual(['rules of a', 'rules of b']);
    expect(extras(await composeWith(['packages/{b,c}/AGENTS.md']))).toEqual(['rules of b']);
    expect(extras(await composeWith([join(scratch.workspaceDir, 'packages/?/AGENTS.md')]))).toHaveLength(2);
  });

  it('are added once, however often they are named, and the root’s own not at all', async () => {
    const patterns = ['packages/a/AGENTS.md', './packages/a/AGENTS.md', 'packages/*/AGENTS.md', 'AGENTS.md'];
    const composition = await composeWith(patterns);
    expect(extras(composition)).toEqual(['rules of a', 'rules of b']);
    expect(composition.prompt.text.match(/root rules/g)).toHaveLength(1);
  });

  it('have known names only', async () => {
    const composition = await composeWith(['packages/b/NOTES.md', 'packages/b/agents.md', 'packages/*/*']);
    expect(extras(composition)).toEqual(['rules of a', 'rules of b', 'memory of b']);
    expect(composition.report.absences).toContainEqual(
      expect.objectContaining({
        what: scratch.path('packages/b/NOTES.md'),
        reason: 'disabled',
        detail: 'unsupported bootstrap basename: NOTES.md',
        by: 'bootstrap-extra-files',
      }),
    );
  });

  it('have the other set’s names in an openboa workspace', async () => {
    await scratch.write('team/PROFILE.md', 'profile of the team');
    const composition = await composeWith(['team/*'], { taxonomy: 'openboa' });
    expect(extras(composition)).toContain('profile of the team');
  });

  it('stay in the workspace: no way out by path, pattern or link', async () => {
    const secret = await scratch.writeOutside('AGENTS.md', 'secret');
    await mkdir(scratch.path('out'));
    await symlink(secret, scratch.path('out/AGENTS.md'));
    await symlink(scratch.outsideDir, scratch.path('linked'));
    const patterns = [secret, '../outside/AGENTS.md', '../*/AGENTS.md', 'out/AGENTS.md', 'linked/AGENTS.md', 'out/*'];
    for (const pattern of [...patterns, 'l*/AGENTS.md', '**/AGENTS.md', '/**/AGENTS.md']) {
      const { prompt } = await composeWith([pattern]);
      expect(prompt.text, pattern).not.toContain('secret');
    }
  });

  it('do not bring a subagent or a group what they may not read', async () => {
    const patterns = ['packages/*/*.md'];
    expect(extras(await composeWith(patterns))).toContain('memory of b');
    const subagent = await composeWith(patterns, { sessionKey: 'agent:main:subagent:1' });
    expect(extras(subagent)).toEqual(['rules of a', 'rules of b']);
    const group = await composeWith(patterns, { sessionKey: 'agent:main:slack:channel:1' });
    expect(extras(group)).not.toContain('memory of b');
  });

  it('are named as authors, by path and line', async () => {
    const { report } = await composeWith(['packages/a/AGENTS.md']);
    expect(report.spans.find(({ text }) => text === 'rules of a')?.origin).toEqual({
      kind: 'handler',
      id: 'bootstrap-extra-files',
      path: scratch.path('packages/a/AGENTS.md'),
      lines: [1, 1],
    });
  });

  it('are passed over in dependencies and repositories', async () => {
    await scratch.write('node_modules/x/AGENTS.md', 'of a dependency');
    await scratch.write('.git/x/AGENTS.md', 'of a repository');
    expect(extras(await composeWith(['**/AGENTS.md']))).toEqual(['rules of a', 'rules of b']);
  });

  it('that match by the hundred are bounded', async () => {
    await Promise.all(Array.from({ length: 250 }, (_, i) => scratch.write(`many/${i}/AGENTS.md`, 'x')));
    const { files } = await loadExtraBootstrapFiles(scratch.files, scratch.workspaceDir, ['many/*/AGENTS.md']);
    expect(files).toHaveLength(200);
  });
});

describe('a diagnosis', () => {
  it('tells what is not there from what may not be used', async () => {
    await link(await scratch.writeOutside('x', 'x'), scratch.path('packages/a/SOUL.md'));
    await mkdir(scratch.path('packages/a/USER.md'));
    await symlink(await scratch.writeOutside('y', 'y'), scratch.path('packages/a/TOOLS.md'));
    expect(await diagnose('packages/c/AGENTS.md')).toEqual(['missing']);
    expect(await diagnose('packages/a/SOUL.md')).toEqual(['security']);
    expect(await diagnose('packages/a/USER.md')).toEqual(['security']);
    expect(await diagnose('packages/a/TOOLS.md')).toEqual(['security']);
    expect(await diagnose('../AGENTS.md')).toEqual(['security']);
    // A search of the whole disk would take much longer than any test may.
    for (const pattern of [
      '/**/AGENTS.md',
      '../**/AGENTS.md',
      'packages/../../**/AGENTS.md',
      '{..,packages}/**/AGENTS.md',
    ])
      expect(await diagnose(pattern), pattern).toEqual([pattern.startsWith('{') ? 'missing' : 'security']);
    expect(await diagnose('NOTES.md')).toEqual(['invalid-bootstrap-filename']);
    expect(await diagnose('nul\0byte/AGENTS.md')).toEqual(['missing']);
    expect(await diagnose('packages/*/AGENTS.md')).toEqual([]);
  });

  it('takes brackets alone for a name, and a tilde for itself', async () => {
    await scratch.write('packages/[a]/AGENTS.md', 'rules in brackets');
    await scratch.write('~/AGENTS.md', 'rules in a tilde');
    expect(extras(await composeWith(['packages/[a]/AGENTS.md', '~/AGENTS.md']))).toEqual([
      'rules in brackets',
      'rules in a tilde',
    ]);
  });
});
