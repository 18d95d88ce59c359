import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliHome } from './fixtures/cli-home.ts';
import { RunningGateway } from './fixtures/running-gateway.ts';

const CONFIG = `
agents: { list: [{ id: main }, { id: writer, tools: { deny: [edit] } }] }
tools:
  profile: minimal
  alsoAllow: [group:fs, raed]
  byProvider: { openai: { deny: [write] } }
`;

describe('atrium tools without a gateway', () => {
  let home: CliHome;
  beforeEach(async () => {
    home = await CliHome.create({ 'openclaw.yaml': CONFIG });
  });
  afterEach(() => home.remove());

  it('explains every tool, and leaves nothing behind', async () => {
    const { out, err, code } = await home.run(['tools', 'explain', '--session', 'agent:writer:main']);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^session {2}agent:writer:main\nagent {4}writer\nmodel {4}mirror\/\S+\n\ntool +offered {2}rule\n/,
    );
    expect(out).toMatch(/^edit +no +agents\.list\[writer\]\.tools\.deny "edit"$/m);
    expect(out).toMatch(/^read +yes +tools\.alsoAllow "group:fs"$/m);
    expect(out).toMatch(/^session_status +yes +tools\.profile "minimal"$/m);
    expect(out).toMatch(/^sessions_list +no +not in tools\.profile "minimal" and tools\.alsoAllow$/m);
    expect(out).toMatch(/\n\d+ of \d+ tools are offered\.\n$/);
    expect(err).toBe('warning: tools.alsoAllow names "raed", which is no tool here. Did you mean "read"?\n');
    await expect(home.read('atrium/atrium.db')).rejects.toThrow();
  });

  it('takes another model, or its provider alone', async () => {
    const rule = /^write +no +tools\.byProvider\["openai"\]\.deny "write"$/m;
    expect((await home.run(['tools', 'explain', '--model', 'openai/gpt-5'])).out).toMatch(rule);
    expect((await home.run(['tools', 'explain', '--provider', 'openai'])).out).toMatch(rule);
    expect((await home.run(['tools', 'explain'])).out).not.toMatch(rule);
  });

  it('explains the session of a subagent', async () => {
    const { out } = await home.run(['tools', 'explain', '--session', 'agent:main:subagent:x']);
    expect(out).toMatch(/^session_status +no +subagents do not have it/m);
  });

  it('prints JSON for programs', async () => {
    expect(await home.runJson(['tools', 'explain', '--agent', 'writer'])).toMatchObject({
      agentId: 'writer',
      sessionKey: 'agent:writer:main',
      tools: expect.arrayContaining([expect.objectContaining({ name: 'edit', isOffered: false })]),
    });
  });

  it('says what is wrong with an agent or a key', async () => {
    const unknown = await home.run(['tools', 'explain', '--agent', 'writr']);
    expect(unknown.code).toBe(2);
    expect(unknown.err).toContain('Did you mean');
    expect((await home.run(['tools', 'explain', '--session', 'agent:x'])).code).toBe(2);
  });

  it('lists what there is', async () => {
    const { out } = await home.run(['tools', 'list']);
    expect(out).toMatch(/^tool +offered {2}from +group +does\n/);
    expect(out).toMatch(/^read +yes +atrium +group:fs +\S.*\.$/m);
    expect(await home.runJson(['tools', 'list', '--agent', 'writer'])).toMatchObject({ agentId: 'writer' });
  });
});

describe('atrium tools with a gateway', () => {
  it('asks it, and looks itself when given another configuration', async () => {
    const running = await RunningGateway.create({
      'openclaw.json': '{ tools: { deny: ["read"] } }',
      'other.yaml': 'tools: { allow: [write] }',
    });
    try {
      await running.start();
      const asked = await running.home.run(['tools', 'explain', '--session', 'agent:main:x', '--model', 'mirror/m']);
      expect(asked.out).toContain('session  agent:main:x\nagent    main\nmodel    mirror/m\n');
      expect(asked.out).toMatch(/^read +no +tools\.deny "read"$/m);
      const own = await running.home.run(['tools', 'explain', '--config', running.home.path('other.yaml')]);
      expect(own.out).toMatch(/^write +yes +tools\.allow "write"$/m);
    } finally {
      await running.remove();
    }
  });
});
