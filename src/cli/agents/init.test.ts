import { rm, symlink } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliHome } from '../fixtures/cli-home.ts';

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create();
});
afterEach(() => home.remove());

describe('atrium agents init', () => {
  it('creates what is missing and says so file by file', async () => {
    await home.write('workspace/TOOLS.md', 'Mine.');
    const { code, out } = await home.run(['agents', 'init']);
    expect(code).toBe(0);
    expect(out).toBe(`Workspace of the agent "main": ${home.path('workspace')}
  created  AGENTS.md
  created  SOUL.md
  kept     TOOLS.md
  created  IDENTITY.md
  created  USER.md
  created  HEARTBEAT.md
  created  BOOTSTRAP.md
The first run is pending: the agent reads BOOTSTRAP.md until it deletes it, or until "atrium agents init --done".
`);
    expect(await home.read('workspace/TOOLS.md')).toBe('Mine.');
    expect((await home.run(['agents', 'init'])).out).not.toContain('created');
  });

  it('is all that a first run needs: no network, no key, and it ends', async () => {
    const preview = async () => (await home.run(['context', 'preview'])).out;
    await home.run(['agents', 'init']);
    expect(await preview()).toContain('## BOOTSTRAP.md');
    expect((await home.run(['agents', 'init', '--done'])).out).toMatch(/is complete\. BOOTSTRAP\.md stays in/);
    expect(await preview()).not.toContain('## BOOTSTRAP.md');
    expect((await home.run(['agents', 'init', '--done'])).out).toMatch(/was complete already/);
    expect((await home.run(['agents', 'init'])).out).toMatch(/The first run is complete\.\n$/);
  });

  it('takes a deleted BOOTSTRAP.md as the end of the first run', async () => {
    await home.run(['agents', 'init']);
    await rm(home.path('workspace/BOOTSTRAP.md'));
    const { out } = await home.run(['agents', 'init']);
    expect(out).not.toContain('created');
    expect(out).toMatch(/The first run is complete/);
  });

  it('is about another agent when one is named', async () => {
    await home.write('openclaw.yaml', 'agents: { list: [{ id: main }, { id: boa, taxonomy: openboa }] }');
    const { out } = await home.run(['agents', 'init', 'boa']);
    expect(out).toContain(home.path('agents/boa/workspace'));
    expect(out).toContain('created  MANDATE.md');
    expect(out).toContain('"atrium agents init boa --done"');
    expect(await home.runJson(['agents', 'init', 'boa', '--done'])).toMatchObject({
      agent: 'boa',
      firstRun: 'complete',
    });
  });

  it('creates no files where the configuration says so', async () => {
    await home.write('openclaw.yaml', 'agents: { defaults: { skipBootstrap: true } }');
    const { out } = await home.run(['agents', 'init']);
    expect(out).toContain('No files were created, because skipBootstrap is set in the configuration.');
    expect(await home.runJson(['agents', 'init'])).toMatchObject({ created: [], kept: [], skipped: true });
  });

  it('refuses an unknown agent and a workspace that cannot be one', async () => {
    expect(await home.run(['agents', 'init', 'nobody'])).toMatchObject({
      code: 2,
      err: 'atrium: There is no agent "nobody". Known agents: main. Add one with "atrium agents add nobody".\n',
    });
    await home.write('workspace', 'a file in the way');
    expect(await home.run(['agents', 'init'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('cannot be a directory'),
    });
    expect(await home.run(['agents', 'init', '--done'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('There is no workspace'),
    });
  });

  it('writes nothing through a link', async () => {
    await home.write('workspace/USER.md', 'Me.');
    await home.write('elsewhere.md', 'Not yours.');
    await symlink(home.path('elsewhere.md'), home.path('workspace/SOUL.md'));
    expect((await home.run(['agents', 'init'])).out).toContain('kept     SOUL.md');
    expect(await home.read('elsewhere.md')).toBe('Not yours.');
  });
});
