import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliHome } from '../fixtures/cli-home.ts';

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create({ 'workspace/AGENTS.md': 'Be kind.', 'workspace/TOOLS.md': 'None.' });
});
afterEach(() => home.remove());

describe('atrium hooks new', () => {
  it('writes a pack that works at once', async () => {
    const { code, out } = await home.run(['hooks', 'new', 'greeter']);
    expect(code).toBe(0);
    for (const name of ['HOOK.md', 'handler.ts', 'handler.test.ts']) {
      expect(out).toContain(home.path(`hooks/greeter/${name}`));
    }
    expect(out).toContain('atrium hooks test greeter');
    expect((await home.run(['hooks', 'check'])).code).toBe(0);
    expect((await home.run(['context', 'preview'])).out).toContain(
      '## Greeter\n\nWrite here what the agent should know.',
    );
  });

  it('writes one into the workspace, where it waits to be allowed', async () => {
    const { out } = await home.run(['hooks', 'new', 'greeter', '--workspace']);
    expect(out).toContain(home.path('workspace/hooks/greeter/HOOK.md'));
    expect(out).toContain('atrium hooks enable greeter');
    expect((await home.run(['context', 'preview'])).out).not.toContain('## Greeter');
    await home.run(['hooks', 'enable', 'greeter']);
    expect((await home.run(['context', 'preview'])).out).toContain('## Greeter');
  });

  it('never overwrites', async () => {
    await home.run(['hooks', 'new', 'greeter']);
    await writeFile(home.path('hooks/greeter/handler.ts'), 'mine');
    const { code, err } = await home.run(['hooks', 'new', 'greeter']);
    expect(code).toBe(2);
    expect(err).toMatch(/exists already and is left as it is/);
    expect(await home.read('hooks/greeter/handler.ts')).toBe('mine');
  });

  it('refuses a name that is no name, with one that would do', async () => {
    const { code, err } = await home.run(['hooks', 'new', '../My Hook']);
    expect(code).toBe(2);
    expect(err).toMatch(/For example: my-hook\n$/);
  });

  it('refuses the name of what comes along, whose settings it would share', async () => {
    for (const name of ['ci-mode', 'session-memory']) {
      const { code, err } = await home.run(['hooks', 'new', name]);
      expect(code).toBe(2);
      expect(err).toContain(`such as my-${name}`);
    }
  });

  it('does not make a workspace that is not there', async () => {
    await home.write('openclaw.yaml', 'agents: { list: [{ id: main }, { id: ops }] }');
    const { code, err } = await home.run(['hooks', 'new', 'greeter', '--workspace', '--agent', 'ops']);
    expect(code).toBe(2);
    expect(err).toMatch(/There is no workspace at .*workspace-ops/);
  });

  it('needs a name', async () => {
    expect(await home.run(['hooks', 'new'])).toMatchObject({
      code: 2,
      err: expect.stringContaining("argument 'name'"),
    });
  });
});
