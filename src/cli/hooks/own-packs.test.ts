import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliHome } from '../fixtures/cli-home.ts';

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create({ 'workspace/AGENTS.md': 'Be kind.', 'workspace/TOOLS.md': 'None.' });
});
afterEach(() => home.remove());

describe('atrium hooks new', () => {
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
