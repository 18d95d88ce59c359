import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { workspaceForEachTest } from '../testkit/for-each-test.ts';
import * as door from './context.ts';

const scratch = workspaceForEachTest({ 'AGENTS.md': 'agents' });
afterEach(async () => {
  vi.unstubAllEnvs();
});

describe('the public door', () => {
  it('has every function of the bootstrap contract under its name', () => {
    const functions = [
      'applyBootstrapHookOverrides',
      'BootstrapFileHelper',
      'compose',
      'ensureAgentWorkspace',
      'filterBootstrapFilesForSession',
      'isAgentBootstrapEvent',
      'isSubagentSessionKey',
      'listBootstrapHandlers',
      'loadWorkspaceBootstrapFiles',
      'normalizeAgentId',
      'registerBootstrapHandler',
      'resolveAgentConfig',
      'resolveAgentDir',
      'resolveAgentWorkspaceDir',
      'resolveDefaultAgentId',
      'resolveDefaultAgentWorkspaceDir',
      'resolveUserPath',
      'unregisterBootstrapHandler',
    ];
    for (const name of functions) expect(door, name).toHaveProperty(name, expect.any(Function));
  });

  it('has the file names, the allowlist and the default workspace', () => {
    expect(door).toMatchObject({
      DEFAULT_AGENTS_FILENAME: 'AGENTS.md',
      DEFAULT_SOUL_FILENAME: 'SOUL.md',
      DEFAULT_TOOLS_FILENAME: 'TOOLS.md',
      DEFAULT_IDENTITY_FILENAME: 'IDENTITY.md',
      DEFAULT_USER_FILENAME: 'USER.md',
      DEFAULT_HEARTBEAT_FILENAME: 'HEARTBEAT.md',
      DEFAULT_BOOTSTRAP_FILENAME: 'BOOTSTRAP.md',
      DEFAULT_MEMORY_FILENAME: 'MEMORY.md',
      DEFAULT_MEMORY_ALT_FILENAME: 'memory.md',
      DEFAULT_AGENT_WORKSPACE_DIR: expect.stringContaining('workspace'),
    });
    expect([...door.SUBAGENT_BOOTSTRAP_ALLOWLIST]).toHaveLength(5);
  });
});

describe('loadWorkspaceBootstrapFiles', () => {
  it('takes a tilde for the home directory, and a relative path for one below here', async () => {
    vi.stubEnv('HOME', scratch.root);
    vi.stubEnv('OPENCLAW_HOME', undefined);
    const [agents] = await door.loadWorkspaceBootstrapFiles('~/workspace');
    expect(agents).toEqual({ name: 'AGENTS.md', path: scratch.path('AGENTS.md'), content: 'agents', missing: false });
    const [here] = await door.loadWorkspaceBootstrapFiles('.');
    expect(here?.path).toBe(join(process.cwd(), 'AGENTS.md'));
  });

  it('gives the plain workspace, without global files', async () => {
    vi.stubEnv('HOME', scratch.root);
    await scratch.write('../.openclaw/AGENTS.md', 'global');
    expect((await door.loadWorkspaceBootstrapFiles(scratch.workspaceDir))[0]?.content).toBe('agents');
  });
});

it('creates a workspace and never overwrites one', async () => {
  const { dir } = await door.ensureAgentWorkspace({ dir: scratch.workspaceDir });
  expect(dir).toBe(scratch.workspaceDir);
  const files = await door.loadWorkspaceBootstrapFiles(dir);
  expect(files[0]?.content).toBe('agents');
});

describe('ensureAgentWorkspace', () => {
  it('takes a taxonomy by its id', async () => {
    const dir = join(scratch.root, 'boa');
    const { agentsPath } = await door.ensureAgentWorkspace({ dir, taxonomy: 'openboa', initRepository: false });
    expect(agentsPath).toBe(join(dir, 'AGENT.md'));
    await expect(door.ensureAgentWorkspace({ dir, taxonomy: 'openbao' as never })).rejects.toMatchObject({
      code: 'ATRIUM_OPTION_UNKNOWN',
      message: expect.stringContaining('Did you mean "openboa"?'),
    });
  });

  it('creates the folder alone unless the files are asked for', async () => {
    const dir = join(scratch.root, 'bare');
    const ensure = door.ensureAgentWorkspace;
    expect(await ensure({ dir, ensureBootstrapFiles: false })).toEqual({ dir });
    expect((await door.loadWorkspaceBootstrapFiles(dir)).every(({ missing }) => missing)).toBe(true);
    expect(await ensure({ dir, ensureBootstrapFiles: true, initRepository: false })).toMatchObject({
      soulPath: join(dir, 'SOUL.md'),
    });
    await expect(ensure({ dir, ensureBootstrapFile: true } as never)).rejects.toMatchObject({
      code: 'ATRIUM_OPTION_UNKNOWN',
    });
  });

  it('without arguments is about the default workspace', async () => {
    vi.stubEnv('HOME', scratch.root);
    for (const name of ['OPENCLAW_HOME', 'OPENCLAW_PROFILE', 'OPENCLAW_WORKSPACE_DIR']) vi.stubEnv(name, undefined);
    const { dir } = await door.ensureAgentWorkspace();
    expect(dir).toBe(join(scratch.root, '.openclaw/workspace'));
    expect((await door.loadWorkspaceBootstrapFiles(dir))[0]?.missing).toBe(false);
  });
});
