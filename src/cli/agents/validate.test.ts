import { link, mkdir, symlink, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliHome } from '../fixtures/cli-home.ts';

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create();
});
afterEach(() => home.remove());

describe('atrium agents validate', () => {
  it('finds nothing wrong with a new workspace, only work to do', async () => {
    await home.run(['agents', 'init']);
    const { code, out } = await home.run(['agents', 'validate']);
    expect(code).toBe(0);
    expect(out).toMatch(/: valid, 2 warnings\n {2}warning {2}IDENTITY\.md still has the placeholder/);
  });

  it('says per file what is wrong and exits 1', async () => {
    await home.write('openclaw.yaml', 'agents: { defaults: { bootstrapMaxChars: 100 } }');
    await home.write('workspace/AGENTS.md', 'x'.repeat(200));
    await home.write('workspace/SOUL.md', ' \n');
    await home.write('workspace/IDENTITY.md', 'A helper.');
    await mkdir(home.path('workspace/USER.md'));
    await symlink('/etc/hostname', home.path('workspace/HEARTBEAT.md'));
    const { code, out } = await home.run(['agents', 'validate', 'main']);
    expect(code).toBe(1);
    for (const line of [
      /main \(.*\): 5 errors/,
      /error {4}AGENTS\.md has 200 characters and is cut to 100/,
      /error {4}SOUL\.md is empty/,
      /error {4}IDENTITY\.md gives the agent no name/,
      /error {4}USER\.md cannot be read/,
      /error {4}HEARTBEAT\.md cannot be read/,
    ]) {
      expect(out).toMatch(line);
    }
  });

  it('names a file that is no text, and the setting that allows a link', async () => {
    await home.run(['agents', 'init']);
    await writeFile(home.path('workspace/AGENTS.md'), Buffer.from('\n\nGr\u00fc\u00dfe', 'latin1'));
    await writeFile(home.path('workspace/SOUL.md'), Buffer.from('\ufeffWarm.', 'utf16le'));
    await link(home.path('workspace/TOOLS.md'), home.path('tools.md'));
    await home.write('workspace/MEMORY.md', 'Tea.');
    await link(home.path('workspace/MEMORY.md'), home.path('workspace/memory.md'));
    const { code, out } = await home.run(['agents', 'validate']);
    expect(code).toBe(1);
    expect(out).toMatch(/: 2 errors/);
    expect(out).toContain('AGENTS.md cannot be read: it is not UTF-8 text, see line 3; save it as UTF-8.\n');
    expect(out).toMatch(/TOOLS\.md cannot be read: it is a hard link, .* in bootstrap\.allowedRoots\. /);
    await home.write('openclaw.yaml', `bootstrap: { allowedRoots: [${home.path('workspace')}] }`);
    expect((await home.run(['agents', 'validate'])).out).not.toContain('TOOLS.md');
  });

  it('looks at every agent, and names each in its next step', async () => {
    await home.write('openclaw.yaml', 'agents: { list: [{ id: main }, { id: boa, taxonomy: openboa }] }');
    await home.run(['agents', 'init']);
    const { code, out } = await home.run(['agents', 'validate']);
    expect(code).toBe(1);
    expect(out).toMatch(/^main .*: valid/m);
    expect(out).toMatch(/^boa .*: 1 error\n.*Create it with "atrium agents init boa"/m);
    expect(await home.runJson(['agents', 'validate'])).toMatchObject({
      valid: false,
      agents: [
        { id: 'main', valid: true },
        { id: 'boa', valid: false, findings: [{ file: '.', problem: 'missing', severity: 'error' }] },
      ],
    });
    expect((await home.run(['agents', 'validate', 'main'])).code).toBe(0);
  });

  it('holds a mandate to what a mandate must say', async () => {
    await home.write('openclaw.yaml', 'agents: { list: [{ id: boa, taxonomy: openboa }] }');
    await home.run(['agents', 'init']);
    await home.write('agents/boa/workspace/MANDATE.md', '# Mandate\n\n## Scope\n\nReleases.\n');
    expect((await home.run(['agents', 'validate'])).out).toMatch(
      /MANDATE\.md says nothing about success criteria, non-goals/,
    );
  });

  it('allows links into the roots that the operator allows', async () => {
    await home.write('shared/TOOLS.md', 'Shared notes.');
    await home.write('workspace/AGENTS.md', 'Be kind.');
    await symlink(home.path('shared/TOOLS.md'), home.path('workspace/TOOLS.md'));
    expect((await home.run(['agents', 'validate'])).code).toBe(1);
    await home.write('openclaw.yaml', `bootstrap: { allowedRoots: ["${home.path('shared')}"] }`);
    expect((await home.run(['agents', 'validate'])).code).toBe(0);
  });

  it('exits 2 when there is no such agent', async () => {
    expect(await home.run(['agents', 'validate', 'nobody'])).toMatchObject({ code: 2, out: '' });
  });
});
