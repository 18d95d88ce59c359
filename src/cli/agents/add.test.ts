import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliHome } from '../fixtures/cli-home.ts';

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create();
});
afterEach(() => home.remove());

async function workspaces(): Promise<Record<string, string>> {
  const { agents } = (await home.runJson(['agents', 'list'])) as { agents: { id: string; workspace: string }[] };
  return Object.fromEntries(agents.map(({ id, workspace }) => [id, workspace]));
}

async function defaultAgent(): Promise<string | undefined> {
  const { agents } = (await home.runJson(['agents', 'list'])) as { agents: { id: string; default: boolean }[] };
  return agents.find((agent) => agent.default)?.id;
}

describe('atrium agents add', () => {
  it('writes the agent, keeps main as the default, and creates the workspace', async () => {
    const before = await workspaces();
    const { code, out } = await home.run(['agents', 'add', 'ops']);
    expect(code).toBe(0);
    expect(out).toContain(`Added the agent "ops" to ${home.path('openclaw.json')}.`);
    expect(out).toContain('The list of agents was empty, so "main" was added too and stays the default agent.');
    expect(out).toMatch(/created {2}AGENTS\.md/);
    expect(JSON.parse(await home.read('openclaw.json'))).toEqual({ agents: { list: [{ id: 'main' }, { id: 'ops' }] } });
    expect(await defaultAgent()).toBe('main');
    expect(await workspaces()).toEqual({ ...before, ops: home.path('workspace-ops') });
    expect(await home.read('workspace-ops/AGENTS.md')).toMatch(/^# /);
  });

  it('writes the agent where the others are, also by name', async () => {
    await home.write('openclaw.json', '{ agents: { entries: { clawd: { name: "Clawd" } } } }');
    expect((await home.run(['agents', 'add', 'ops', '--no-init'])).code).toBe(0);
    expect(await home.read('openclaw.json')).not.toContain('list');
    expect(await defaultAgent()).toBe('clawd');
    const { code, out } = await home.run(['agents', 'add', 'boss', '--default', '--no-init']);
    expect([code, out]).toEqual([0, expect.stringContaining('Wrote agents.entries.clawd.workspace = ')]);
    expect([await defaultAgent(), Object.keys(await workspaces())]).toEqual(['boss', ['clawd', 'ops', 'boss']]);
  });

  it('keeps every comment', async () => {
    await home.write(
      'openclaw.yaml',
      `# the agents
agents:
  list:
    # the first
    - id: main # talks to everybody
      name: Ada
channels: {} # none
`,
    );
    await home.run(['agents', 'add', 'ops', '--no-init']);
    expect(await home.read('openclaw.yaml')).toBe(`# the agents
agents:
  list:
    # the first
    - id: main # talks to everybody
      name: Ada
    - id: ops
channels: {} # none
`);
  });

  it('takes a workspace and a set of files', async () => {
    const dir = join(home.home, 'writing');
    await home.run(['agents', 'add', 'writer', '--workspace', './writing', '--taxonomy', 'openboa']);
    expect(JSON.parse(await home.read('openclaw.json')).agents.list[1]).toEqual({
      id: 'writer',
      workspace: dir,
      taxonomy: 'openboa',
    });
    expect((await stat(join(dir, 'MANDATE.md'))).isFile()).toBe(true);
  });

  it('makes it the default when asked to, and no agent moves to another folder', async () => {
    await home.write('openclaw.json', '{ agents: { defaults: { workspace: "~/shared" } } }');
    const before = await workspaces();
    const { out } = await home.run(['agents', 'add', 'ops', '--default', '--no-init']);
    expect(out).toContain('"main" was added too and keeps its workspace');
    expect(await defaultAgent()).toBe('ops');
    expect(await workspaces()).toEqual({ ...before, ops: home.path('workspace-ops') });

    const second = await home.run(['agents', 'add', 'dev', '--default', '--no-init']);
    expect(second.out).toContain('Wrote agents.list[1].default = false.');
    expect(await defaultAgent()).toBe('dev');
    expect(await workspaces()).toEqual({
      ...before,
      ops: home.path('workspace-ops'),
      dev: home.path('workspace-dev'),
    });
  });

  it('gives the old default its workspace in writing when that would change', async () => {
    await home.write('openclaw.yaml', 'agents:\n  list:\n    - id: main # the old one\n      default: true\n');
    const before = await workspaces();
    const { out } = await home.run(['agents', 'add', 'ops', '--default', '--no-init']);
    expect(out).toContain(`Wrote agents.list[0].workspace = ${JSON.stringify(before.main)}.`);
    expect((await workspaces()).main).toBe(before.main);
    expect(await home.read('openclaw.yaml')).toContain('# the old one');
  });

  it('adds main itself to an empty list, as it is', async () => {
    const before = await workspaces();
    await home.run(['agents', 'add', 'main', '--no-init']);
    expect(JSON.parse(await home.read('openclaw.json'))).toEqual({ agents: { list: [{ id: 'main' }] } });
    expect(await workspaces()).toEqual(before);
  });

  it('warns when two agents share a workspace', async () => {
    const { out } = await home.run(['agents', 'add', 'ops', '--workspace', home.path('workspace'), '--no-init']);
    expect(out).toContain('Mind that the agent "main" has the same workspace');
  });

  it('prints JSON for programs', async () => {
    expect(await home.runJson(['agents', 'add', 'ops'])).toMatchObject({
      agent: 'ops',
      file: home.path('openclaw.json'),
      workspace: home.path('workspace-ops'),
      taxonomy: 'openclaw',
      default: false,
      added: [{ id: 'main' }, { id: 'ops' }],
      init: { firstRun: 'pending' },
    });
  });

  it('refuses an id that is taken, in any case', async () => {
    await home.write('openclaw.yaml', 'agents: { list: [{ id: main }, { id: Ops }] }\n');
    for (const id of ['ops', 'OPS']) {
      const { code, err } = await home.run(['agents', 'add', id]);
      expect(code).toBe(2);
      expect(err).toMatch(/^atrium: There is an agent "ops" already, in .*openclaw\.yaml\. .*agents init ops"\.\n$/);
    }
    expect(await home.read('openclaw.yaml')).toBe('agents: { list: [{ id: main }, { id: Ops }] }\n');
  });

  it('refuses what is no id, no folder and no set of files', async () => {
    expect((await home.run(['agents', 'add', 'a b'])).err).toMatch(/For example: a-b\n$/);
    expect((await home.run(['agents', 'add', '../..'])).err).toMatch(/at most 64 in all\.\n$/);
    expect((await home.run(['agents', 'add', 'ops', '--workspace', ' '])).err).toMatch(
      /--workspace " " is not a folder/,
    );
    expect((await home.run(['agents', 'add', 'ops', '--taxonomy', 'boa'])).err).toMatch(/openclaw, openboa/);
    await expect(home.read('openclaw.json')).rejects.toThrow('ENOENT');
  });

  it('refuses before it writes when an agent stands in an included file', async () => {
    await home.write('agents.json', '{ list: [{ id: "main", default: true }] }');
    const text = '{ agents: { $include: "./agents.json" } }';
    await home.write('openclaw.json', text);
    const { code, err } = await home.run(['agents', 'add', 'ops', '--default']);
    expect(code).toBe(2);
    expect(err).toMatch(/the agent stands in another file/);
    expect(await home.read('openclaw.json')).toBe(text);
    // Without --default nothing of the included file has to change.
    expect((await home.run(['agents', 'add', 'ops', '--no-init'])).code).toBe(0);
    expect(Object.keys(await workspaces())).toEqual(['main', 'ops']);
  });

  it('says that the agent is there when only the workspace could not be made', async () => {
    await home.write('workspace-ops', 'a file in the way');
    const { code, out, err } = await home.run(['agents', 'add', 'ops']);
    expect(code).toBe(2);
    expect(out).toContain('Added the agent "ops"');
    expect(err).toMatch(/cannot be a directory/);
  });
});
