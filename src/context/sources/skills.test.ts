import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workspaceForEachTest } from '../../testkit/for-each-test.ts';
import { SkillCatalogue } from './skills.ts';

const catalogue = new SkillCatalogue();

const scratch = workspaceForEachTest();

const loadAll = (allowed: string[] = []) =>
  catalogue.load(scratch.files, [
    { dir: scratch.path('skills'), roots: [scratch.workspaceDir, ...allowed] },
    { dir: join(scratch.stateDir, 'skills'), roots: [scratch.stateDir] },
  ]);
const load = async (allowedRoots?: string[]) => (await loadAll(allowedRoots)).skills;
const skill = (name: string, front: string, body = 'the body') =>
  scratch.write(`skills/${name}/SKILL.md`, `---\n${front}\n---\n\n${body}`);

describe('the skills catalogue', () => {
  it('has name, description and location, and never the body', async () => {
    const path = await skill('deploy', 'name: deploy\ndescription: Ships it.');
    expect(await load()).toEqual([{ name: 'deploy', description: 'Ships it.', path }]);
  });

  it('is empty where there are no skills', async () => {
    await scratch.write('skills/README.md', 'not a skill');
    await scratch.write('skills/empty/notes.md', 'no SKILL.md');
    expect(await load()).toEqual([]);
  });

  it('is ordered by folder, the workspace before what is shared', async () => {
    await skill('b', 'name: beta');
    await skill('a', 'name: alpha');
    await scratch.writeState('skills/c/SKILL.md', '---\nname: aardvark\n---\n');
    expect((await load()).map(({ name }) => name)).toEqual(['alpha', 'beta', 'aardvark']);
  });

  it('lets a workspace replace a shared skill of the same name', async () => {
    await skill('mine', 'name: deploy\ndescription: Ours.');
    await scratch.writeState('skills/deploy/SKILL.md', '---\nname: deploy\ndescription: Shared.\n---\n');
    expect((await load()).map(({ description }) => description)).toEqual(['Ours.']);
    expect((await loadAll()).refused).toMatchObject([{ reason: 'disabled', detail: 'another skill is called deploy' }]);
  });

  it('takes the folder for a name, and no description, where nothing is declared', async () => {
    const plain = await scratch.write('skills/plain/SKILL.md', 'Just text.');
    expect(await load()).toEqual([{ name: 'plain', description: '', path: plain }]);
  });

  it.each([
    ['broken', 'name: [unclosed'],
    ['listed', '- a\n- b'],
    ['odd', 'name: { a: b }\ndescription: [1, 2]'],
    ['blank', 'name: "  "'],
  ])('survives front matter that is %s', async (folder, front) => {
    await skill(folder, front);
    expect(await load()).toMatchObject([{ name: folder, description: '' }]);
  });

  it('writes each skill on one line, of bounded length', async () => {
    await skill('long', `name: "two\\nlines"\ndescription: |\n  first\n  second\n  ${'x'.repeat(2_000)}`);
    await skill('odd', `name: ${'n'.repeat(500)}\ndescription: "${'x'.repeat(999)}😀"`);
    await scratch.write('skills/two\nlines/SKILL.md', 'its path would break the line');
    const [long, odd, ...others] = await load();
    expect(long?.name).toBe('two lines');
    expect(long?.description).toMatch(/^first second x+$/);
    expect(long?.description).toHaveLength(1_000);
    expect(odd?.name).toHaveLength(100);
    expect(odd?.description).toBe('x'.repeat(999));
    expect(others).toEqual([]);
  });

  it('sees an edit, and a skill that is gone', async () => {
    await skill('deploy', 'name: deploy\ndescription: One.');
    await load();
    await skill('deploy', 'name: deploy\ndescription: Two.');
    expect((await load())[0]?.description).toBe('Two.');
  });

  it('does not follow links out of the workspace, unless their root is allowed', async () => {
    await scratch.writeOutside('SKILL.md', '---\nname: secret\n---\n');
    await scratch.write('skills/real/SKILL.md', '---\nname: real\n---\n');
    await symlink(scratch.outsideDir, scratch.path('skills/linked'));
    expect((await load()).map(({ name }) => name)).toEqual(['real']);
    expect((await loadAll()).refused).toMatchObject([
      { path: scratch.path('skills/linked/SKILL.md'), reason: 'outside-workspace' },
    ]);
    expect((await load([scratch.outsideDir])).map(({ name }) => name)).toEqual(['secret', 'real']);
  });

  it('does not list a folder elsewhere because the folder itself is a link', async () => {
    await scratch.writeOutside('hidden/SKILL.md', '---\nname: secret\n---\n');
    await symlink(scratch.outsideDir, scratch.path('skills'));
    expect(await load()).toEqual([]);
  });
});

describe('hostile skills', () => {
  it('cannot show the words of another file by being a link to it', async () => {
    await scratch.write('MEMORY.md', '---\nname: x\ndescription: a secret\n---\n');
    await scratch.write('skills/sly/notes.md', '');
    await symlink(scratch.path('MEMORY.md'), scratch.path('skills/sly/SKILL.md'));
    expect(await load()).toEqual([]);
    expect((await loadAll()).refused).toMatchObject([{ reason: 'disabled', detail: 'it is a link to MEMORY.md' }]);
  });

  it('cannot stall a run with front matter that takes long to parse', async () => {
    const keys = Array.from({ length: 40_000 }, (_, i) => `k${i}: 1`).join('\n');
    await scratch.write('skills/slow/SKILL.md', `---\n${keys}\n---\n`);
    expect(await load()).toMatchObject([{ name: 'slow', description: '' }]);
  }, 5_000);
});
