import { link, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliHome } from '../fixtures/cli-home.ts';

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create({
    'openclaw.yaml': 'bootstrap: { kep: [] }\n',
    'workspace/AGENTS.md': '# Rules\n\nBe \x1b[31mbrief.\n',
  });
});
afterEach(() => home.remove());

describe('atrium context preview', () => {
  it('says on the error output which files are there and not read', async () => {
    await writeFile(home.path('workspace/SOUL.md'), Buffer.from('Gr\u00fc\u00dfe', 'latin1'));
    await link(home.path('workspace/AGENTS.md'), home.path('copy.md'));
    const { code, err } = await home.run(['context', 'preview']);
    expect(code).toBe(0);
    expect(err).toMatch(/SOUL\.md is there and is not read: it is not UTF-8 text, see line 1;/);
    expect(err).toMatch(/AGENTS\.md is there and is not read: it is a hard link, .*bootstrap\.allowedRoots/);
  });

  it('says so too of what stands in the place of a file and is none: a folder, a link that leads nowhere', async () => {
    await rm(home.path('workspace/AGENTS.md'));
    await mkdir(home.path('workspace/AGENTS.md'));
    await symlink('gone.md', home.path('workspace/SOUL.md'));
    await mkdir(home.path('USER.md'));
    const { err } = await home.run(['context', 'preview']);
    expect(err).toMatch(/AGENTS\.md is there and is not read: not a regular file but a directory$/m);
    expect(err).toMatch(/SOUL\.md is there and is not read: a link that leads nowhere$/m);
    expect(err).toMatch(/USER\.md is there and is not read: not a regular file but a directory$/m);
    expect(err).not.toMatch(/TOOLS\.md is there/);
  });

  it('prints the prompt byte for byte, and everything else elsewhere', async () => {
    const { code, out, err } = await home.run(['context', 'preview', '--body']);
    expect(code).toBe(0);
    expect(out).toContain('\n## AGENTS.md\n\n# Rules\n\nBe \x1b[31mbrief.\n');
    expect(err).toMatch(/^warning: .*openclaw\.yaml:1: bootstrap\.kep is not a setting .* Did you mean "keep"\?\n$/);
  });

  it('prints a page for people: the prompt as text, the tools as a table, the totals', async () => {
    const { out } = await home.run(['context', 'preview']);
    expect(out).toMatch(/^session +agent:main:cli:direct:local$/m);
    expect(out).toContain('\n## AGENTS.md\n\n# Rules\n\nBe  [31mbrief.\n');
    expect(out).toMatch(/^read +atrium +\d+ +Read a text file of the workspace or of a skill\.$/m);
    expect(out).toMatch(/^whole request +[\d,]+ +[\d,]+ +\d+\.\d %$/m);
    expect(out).not.toContain('\x1b');
  });

  it('keeps MEMORY.md from a job and from a channel, as in their sessions', async () => {
    await home.write('workspace/MEMORY.md', 'the diary');
    const shows = async (...flags: string[]) =>
      (await home.run(['context', 'preview', ...flags])).out.includes('the diary');
    expect(await shows()).toBe(true);
    expect(await shows('--type', 'scheduled')).toBe(false);
    expect(await shows('--channel', 'slack:C042')).toBe(false);
    expect(await shows('--channel', 'slack')).toBe(true);
    expect(await shows('--type', 'scheduled', '--session', 'agent:main:main')).toBe(true);
  });

  it('prints the blocks and the boundary as JSON', async () => {
    const { text, blocks, cacheBoundary } = (await home.runJson(['context', 'preview'])) as {
      text: string;
      blocks: { text: string; stability: string }[];
      cacheBoundary: number;
    };
    expect(blocks.map((block) => block.text).join('')).toBe(text);
    expect(text).toBe((await home.run(['context', 'preview', '--body'])).out);
    expect(blocks[0]).toMatchObject({ stability: 'static', text: text.slice(0, cacheBoundary) });
  });
});
