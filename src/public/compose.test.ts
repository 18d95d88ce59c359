import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { workspaceForEachTest } from '../testkit/for-each-test.ts';
import { compose, loadWorkspaceBootstrapFiles } from './context.ts';

const scratch = workspaceForEachTest({ 'AGENTS.md': 'agents', 'TOOLS.md': 'tools' });
beforeEach(async () => {
  vi.stubEnv('HOME', scratch.root);
  for (const name of ['CI', 'OPENCLAW_HOME', 'OPENCLAW_STATE_DIR', 'OPENCLAW_CONFIG_PATH', 'OPENCLAW_WORKSPACE_DIR'])
    vi.stubEnv(name, undefined);
});
afterEach(async () => {
  vi.unstubAllEnvs();
});

const state = (name: string, text: string) => scratch.write(`../.openclaw/${name}`, text);

describe('compose, for programs', () => {
  it('composes a workspace that it is pointed at', async () => {
    const { files, prompt } = await compose({ workspaceDir: scratch.workspaceDir });
    expect(files).toEqual(await loadWorkspaceBootstrapFiles(scratch.workspaceDir));
    expect(prompt.text).toContain('## AGENTS.md\n\nagents\n');
  });

  it('composes for the default agent of the home, by the home’s configuration', async () => {
    await state(
      'openclaw.json',
      `{ agents: { defaults: { workspace: '${scratch.workspaceDir}' } }, bootstrap: { rules: [{ id: 'r', file: 'SOUL.md', text: 'a rule' }] } }`,
    );
    expect((await compose()).prompt.text).toContain('a rule');
  });

  it('refuses an object that would be refused as a file', async () => {
    const rules = [{ id: 'r', file: 'AGENTS.md', text: 'x', when: { moon: 'full' } }];
    const config = { bootstrap: { rules } } as never;
    await expect(compose({ workspaceDir: scratch.workspaceDir, config })).rejects.toMatchObject({
      code: 'ATRIUM_CONFIG_INVALID',
      message: expect.stringContaining('bootstrap.rules[0].when.moon'),
    });
  });

  it('takes another configuration file, or a configuration as an object', async () => {
    const configPath = await scratch.writeOutside(
      'other.json',
      `{ bootstrap: { rules: [{ id: 'r', file: 'SOUL.md', from: 'rule.md' }] } }`,
    );
    await scratch.writeOutside('rule.md', 'beside the file');
    const { workspaceDir } = scratch;
    expect((await compose({ workspaceDir, configPath })).prompt.text).toContain('beside the file');
    const config = { bootstrap: { rules: [{ id: 'r', file: 'SOUL.md', text: 'from the object' }] } };
    expect((await compose({ workspaceDir, config })).prompt.text).toContain('from the object');
  });

  it('takes a situation: session, channel, time', async () => {
    await scratch.write('MEMORY.md', 'memory');
    const { report, prompt } = await compose({
      workspaceDir: scratch.workspaceDir,
      config: { bootstrap: { hooks: { 'time-context': { enabled: true } } } },
      sessionKey: 'agent:main:discord:group:1',
      channel: { provider: 'discord' },
      at: new Date('2026-05-06T14:00:00Z'),
      timezone: 'Asia/Tokyo',
    });
    expect(prompt.text).toContain('## Overnight');
    expect(prompt.text).not.toContain('memory');
    expect(report.situation).toMatchObject({ channel: 'discord', timezone: 'Asia/Tokyo', sessionType: 'interactive' });
  });

  it('compares with the composition before', async () => {
    const { workspaceDir } = scratch;
    const at = new Date();
    const previous = await compose({ workspaceDir, at });
    expect((await compose({ workspaceDir, at, previous })).report.change).toMatchObject({ changed: false });
  });

  it('is clear about a workspace and an agent that are not there', async () => {
    await expect(compose({ workspaceDir: join(scratch.root, 'none') })).rejects.toMatchObject({
      code: 'ATRIUM_WORKSPACE_NOT_FOUND',
    });
    await expect(compose({ agentId: 'unknown' })).rejects.toMatchObject({ code: 'ATRIUM_AGENT_UNKNOWN' });
  });

  it('lets handlers on disk import the door by its name', async () => {
    await state(
      'hooks/greeter/HOOK.md',
      '---\nname: greeter\ndescription: Greets.\nmetadata: { "openclaw": { "events": ["agent:bootstrap"] } }\n---\n',
    );
    await state(
      'hooks/greeter/handler.ts',
      `import { BootstrapFileHelper, isAgentBootstrapEvent, type InternalHookEvent } from 'atrium/context';
export default (event: InternalHookEvent) => {
  if (isAgentBootstrapEvent(event)) new BootstrapFileHelper(event.context).appendToFile('AGENTS.md', 'Hello from disk.');
};
`,
    );
    const { files, report } = await compose({ workspaceDir: scratch.workspaceDir, config: {} });
    expect(files[0]?.content).toBe('agents\n\n---\n\nHello from disk.');
    expect(report.handlers.find(({ id }) => id === 'hook:greeter')).toMatchObject({
      outcome: 'done',
      changes: [{ change: 'appended' }],
    });
  });
});
