import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { workspaceForEachTest } from '../testkit/for-each-test.ts';
import { type ComposeOptions, compose, loadWorkspaceBootstrapFiles, registerBootstrapHandler } from './context.ts';

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

  it('takes the names of the bootstrap contract as well', async () => {
    const seen: unknown[] = [];
    const undo = registerBootstrapHandler({ id: 'look', handler: ({ context }) => void seen.push(context) });
    const channelContext = { provider: 'slack', channelId: 'C042', channelName: 'general' };
    const cfg = { bootstrap: { rules: [{ id: 'r', file: 'SOUL.md', text: 'by its older name' }] } };
    const { prompt } = await compose({ workspaceDir: scratch.workspaceDir, cfg, channelContext });
    undo();
    expect(prompt.text).toContain('by its older name');
    expect(seen).toMatchObject([{ channelContext, cfg }]);
  });

  it('refuses a field that it does not know, and two names for one thing', async () => {
    const { workspaceDir } = scratch;
    await expect(compose({ workspaceDir, sesionKey: 'agent:main:main' } as never)).rejects.toMatchObject({
      code: 'ATRIUM_OPTION_UNKNOWN',
      message: expect.stringContaining('Did you mean "sessionKey"?'),
    });
    await expect(compose({ workspaceDir, timeContext: { hour: 3 } } as never)).rejects.toMatchObject({
      message: expect.stringContaining('"timeContext"'),
    });
    await expect(compose({ workspaceDir, config: {}, cfg: {} })).rejects.toThrow('"cfg"');
  });

  it('keeps MEMORY.md from what would be a job or a channel, as in the session itself', async () => {
    await scratch.write('MEMORY.md', 'memory');
    await scratch.write('HEARTBEAT.md', 'heartbeat');
    const namesIn = async (options: ComposeOptions) =>
      (await compose({ workspaceDir: scratch.workspaceDir, config: {}, ...options })).files
        .filter(({ missing }) => !missing)
        .map(({ name }) => name);
    const everything = ['AGENTS.md', 'TOOLS.md', 'HEARTBEAT.md', 'MEMORY.md'];
    expect(await namesIn({})).toEqual(everything);
    expect(await namesIn({ sessionType: 'scheduled' })).toEqual(['AGENTS.md', 'TOOLS.md']);
    expect(await namesIn({ trigger: 'cron' })).toEqual(['AGENTS.md', 'TOOLS.md']);
    expect(await namesIn({ trigger: 'heartbeat' })).toEqual(everything);
    expect(await namesIn({ sessionType: 'scheduled', sessionKey: 'agent:main:main' })).toEqual(everything);
    const inChannel = everything.slice(0, 3);
    expect(await namesIn({ channel: { provider: 'slack', channelId: 'C042' } })).toEqual(inChannel);
    expect(await namesIn({ channel: { provider: 'slack' } })).toEqual(everything);
    expect(
      await namesIn({ channel: { provider: 'slack', channelId: 'C042' }, sessionKey: 'agent:main:slack:direct:u1' }),
    ).toEqual(everything);
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
