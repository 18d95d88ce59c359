import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  DEFAULT_AGENT_WORKSPACE_DIR,
  resolveAgentWorkspaceDir,
  resolveDefaultAgentWorkspaceDir,
} from './agent-workspace.ts';
import { listAgentIds, resolveAgentConfig, resolveAgentDir, resolveDefaultAgentId } from './agents.ts';
import type { Config } from './schema.ts';

const root = await mkdtemp(path.join(os.tmpdir(), 'atrium-agent-workspace-'));
afterAll(() => rm(root, { recursive: true, force: true }));

let home: string;
beforeAll(async () => {
  home = await mkdtemp(path.join(root, 'agents-'));
  await mkdir(path.join(home, '.openclaw'));
});

const workspaceOf = (cfg: unknown, agentId: string, env: Record<string, string> = {}) => {
  return path.relative(home, resolveAgentWorkspaceDir(cfg as Config, agentId, { HOME: home, ...env }));
};
const withList = (...list: unknown[]) => ({ agents: { list } }) as Config;

describe('the default agent', () => {
  it('is the first one marked, else the first one, else main', () => {
    expect(resolveDefaultAgentId({})).toBe('main');
    expect(resolveDefaultAgentId(withList({ id: 'a' }, { id: 'b' }))).toBe('a');
    expect(resolveDefaultAgentId(withList({ id: 'a' }, { id: 'B ', default: true }, { id: 'c', default: true }))).toBe(
      'b',
    );
    expect(resolveDefaultAgentId({ agents: { list: { a: 1 } } } as unknown as Config)).toBe('main');
  });
});

describe('the list of agents', () => {
  it('passes over what is no entry and names each id once', () => {
    const cfg = withList(null, 'x', { id: 'a', name: 'first' }, { id: ' A', name: 'second' }, { id: 5 });
    expect(listAgentIds(cfg)).toEqual(['a', 'main']);
    expect(resolveAgentConfig(cfg, 'A')?.name).toBe('first');
    expect(resolveAgentConfig(cfg, 'nobody')).toBeUndefined();
    expect(listAgentIds({})).toEqual(['main']);
  });
});

describe('the workspace of the default agent', () => {
  it('is its own setting, else the shared one, else the one of the process', () => {
    const shared = { defaults: { workspace: '~/shared' } };
    expect(workspaceOf({ agents: { ...shared, list: [{ id: 'main', workspace: '~/own' }] } }, 'main')).toBe('own');
    expect(workspaceOf({ agents: { ...shared, list: [{ id: 'main', workspace: ' ' }] } }, 'main')).toBe('shared');
    expect(workspaceOf({}, 'main')).toBe('.openclaw/workspace');
    expect(workspaceOf({ agents: shared }, 'main', { OPENCLAW_WORKSPACE_DIR: '/elsewhere' })).toBe('shared');
  });

  it('carries the name of the profile and stays in the home when the state is moved', () => {
    expect(workspaceOf({}, 'main', { OPENCLAW_PROFILE: ' Work ' })).toBe('.openclaw/workspace-Work');
    expect(workspaceOf({}, 'main', { OPENCLAW_PROFILE: 'DEFAULT' })).toBe('.openclaw/workspace');
    expect(workspaceOf({}, 'main', { OPENCLAW_STATE_DIR: '~/state' })).toBe('.openclaw/workspace');
    expect(resolveDefaultAgentWorkspaceDir({ OPENCLAW_WORKSPACE_DIR: '/ws' })).toBe('/ws');
    expect(resolveDefaultAgentWorkspaceDir({}, () => '/home/ana')).toBe('/home/ana/.openclaw/workspace');
    expect(path.isAbsolute(DEFAULT_AGENT_WORKSPACE_DIR)).toBe(true);
  });

  it('never holds a NUL byte', () => {
    expect(workspaceOf(withList({ id: 'a', workspace: '~/w\0x' }), 'a')).toBe('wx');
  });
});

describe('the workspace of another agent', () => {
  it('is workspace-<id> in the state directory', () => {
    expect(workspaceOf({}, ' Work Bot ')).toBe('.openclaw/workspace-work-bot');
    expect(workspaceOf({}, 'work', { OPENCLAW_STATE_DIR: '~/state' })).toBe('state/workspace-work');
    expect(workspaceOf(withList({ id: 'a' }), 'main')).toBe('.openclaw/workspace-main');
  });

  it('is a folder inside the shared workspace if that is there already', async () => {
    const cfg = { agents: { defaults: { workspace: '~/proj' } } };
    expect(workspaceOf(cfg, 'work')).toBe('.openclaw/workspace-work');
    await mkdir(path.join(home, 'proj/work'), { recursive: true });
    expect(workspaceOf(cfg, 'work')).toBe('proj/work');
  });
});

describe('the workspace of an openboa agent', () => {
  it('is its own setting, else a folder under the root, else one under the state directory', () => {
    const agent = { id: 'boa', taxonomy: 'openboa' };
    expect(workspaceOf(withList(agent), 'boa')).toBe('.openclaw/agents/boa/workspace');
    expect(workspaceOf({ ...withList(agent), openboa: { root: '~/company' } }, 'boa')).toBe(
      'company/agents/boa/workspace',
    );
    expect(workspaceOf(withList({ ...agent, workspace: '~/own' }), 'boa')).toBe('own');
  });
});

describe("an agent's own directory", () => {
  it('is its setting, else one under the state directory', () => {
    expect(resolveAgentDir(withList({ id: 'a', agentDir: '~/ad' }), 'a', { HOME: home })).toBe(path.join(home, 'ad'));
    expect(resolveAgentDir({}, 'Work Bot', { HOME: home })).toBe(path.join(home, '.openclaw/agents/work-bot/agent'));
  });
});
