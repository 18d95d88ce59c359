import { beforeEach, describe, expect, it } from 'vitest';
import { bootstrapHandlersOf } from '../gateway/composer/prepared-agents.ts';
import type { AgentBootstrapHookContext } from '../protocol/bootstrap-event.ts';
import type { WorkspaceBootstrapFile } from '../protocol/bootstrap-file.ts';
import { workspaceForEachTest } from '../testkit/for-each-test.ts';
import { applyBootstrapHookOverrides, type BootstrapHookOverrides } from './apply-bootstrap-hook-overrides.ts';
import { BootstrapFileHelper } from './bootstrap-file-helper.ts';

let files: WorkspaceBootstrapFile[];

const scratch = workspaceForEachTest();
beforeEach(async () => {
  files = [
    { name: 'AGENTS.md', path: '/w/AGENTS.md', content: 'agents', missing: false },
    { name: 'SOUL.md', path: '/w/SOUL.md', missing: true },
  ];
});

const apply = (overrides: Partial<BootstrapHookOverrides> = {}) =>
  applyBootstrapHookOverrides({
    files,
    workspaceDir: '/w',
    handlers: bootstrapHandlersOf(scratch.runner),
    at: new Date('2026-05-06T10:00:00Z'),
    timezone: 'UTC',
    ...overrides,
  });

describe('handlers outside of a composition', () => {
  it('change nothing when there are none', async () => {
    expect(await apply()).toEqual(files);
  });

  it('edit the files in turn, on drafts: the list that was given stays as it is', async () => {
    scratch.on('appends', (context) => new BootstrapFileHelper(context).appendToFile('AGENTS.md', 'more'));
    scratch.on('adds', (context) => new BootstrapFileHelper(context).addFile('X.md', 'x'), { priority: 200 });
    const before = structuredClone(files);
    expect(await apply()).toEqual([
      { name: 'AGENTS.md', path: '/w/AGENTS.md', content: 'agents\n\n---\n\nmore', missing: false },
      { name: 'SOUL.md', path: '/w/SOUL.md', missing: true },
      { name: 'X.md', path: '<dynamic:X.md>', content: 'x', missing: false },
    ]);
    expect(files).toEqual(before);
  });

  it('that fail leave the files as they found them', async () => {
    scratch.on('breaks', (context) => {
      new BootstrapFileHelper(context).removeFile('AGENTS.md');
      throw new Error('boom');
    });
    scratch.on('adds', (context) => new BootstrapFileHelper(context).addFile('X.md', 'x'));
    expect((await apply()).map(({ name }) => name)).toEqual(['AGENTS.md', 'SOUL.md', 'X.md']);
  });

  it('are told whose session it is: the agent by its name, else by the key', async () => {
    const seen: Partial<AgentBootstrapHookContext>[] = [];
    scratch.on('spy', ({ agentId, sessionKey, sessionId, sessionType, cfg, timeContext }) => {
      seen.push({ agentId, sessionKey, sessionId, sessionType, cfg, timeContext } as never);
    });
    const config = { agents: {} };
    await apply({ sessionKey: 'agent:bob:subagent:1', sessionId: 's', config });
    await apply({ agentId: 'Ana' });
    await apply();
    expect(seen).toMatchObject([
      { agentId: 'bob', sessionKey: 'agent:bob:subagent:1', sessionId: 's', sessionType: 'subagent', cfg: config },
      { agentId: 'Ana', sessionType: 'interactive', timeContext: { hour: 10, timezone: 'UTC' } },
      { agentId: undefined },
    ]);
  });

  it('do not filter: that is left to the caller', async () => {
    scratch.on('adds', (context) => new BootstrapFileHelper(context).addFile('MEMORY.md', 'memory'));
    expect((await apply({ sessionKey: 'agent:main:subagent:1' })).map(({ name }) => name)).toContain('MEMORY.md');
  });

  it('can abort the whole', async () => {
    scratch.on('breaks', () => Promise.reject(new Error('boom')), { onError: 'abort' });
    await expect(apply()).rejects.toThrow('boom');
  });
});
