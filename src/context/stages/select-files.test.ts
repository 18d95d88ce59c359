import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { workspaceForEachTest } from '../../testkit/for-each-test.ts';
import type { ScratchSituation } from '../../testkit/scratch-workspace.ts';
import type { Composition } from '../compose.ts';
import { createAgentOverridesHandler } from '../handlers/agent-overrides/handler.ts';
import { createGlobalFilesHandler } from '../handlers/global-files/handler.ts';

const scratch = workspaceForEachTest({
  'AGENTS.md': 'agents',
  'HEARTBEAT.md': 'the checklist',
  'BOOTSTRAP.md': 'the first run',
});

const has = ({ files }: Composition, name: string) => files.some((file) => file.name === name);
const reasonFor = ({ report }: Composition, name: string) => report.absences.find(({ what }) => what === name)?.reason;

describe('first-run guidance', () => {
  it.each([
    ['a conversation', {}],
    ['a conversation that a person began by hand', { trigger: 'manual' }],
    ['a direct message', { sessionKey: 'agent:main:discord:direct:1', trigger: 'user' }],
    ['an openboa conversation', { taxonomy: 'openboa' }],
  ] as [string, ScratchSituation][])('is in every prompt until the first run is over: %s', async (_, situation) => {
    expect((await scratch.compose(situation)).prompt.text).toContain('the first run');
  });

  it('is gone once the first run is over, though the file is still there', async () => {
    const composition = await scratch.compose({ firstRunComplete: true });
    expect(has(composition, 'BOOTSTRAP.md')).toBe(false);
    expect(reasonFor(composition, 'BOOTSTRAP.md')).toBe('disabled');
    expect(composition.prompt.text).not.toContain('the first run');
  });

  it.each([
    ['a subagent', { sessionKey: 'agent:main:subagent:1', sessionType: 'subagent' }],
    ['a cron job', { sessionType: 'scheduled', trigger: 'cron' }],
    ['a heartbeat', { sessionType: 'scheduled', trigger: 'heartbeat' }],
    ['a pipeline', { sessionType: 'ci' }],
    ['an editor’s session', { sessionKey: 'agent:main:acp:1' }],
  ] as [string, ScratchSituation][])('is for people, not for %s', async (_, situation) => {
    const composition = await scratch.compose(situation);
    expect(composition.prompt.text).not.toContain('the first run');
    expect(reasonFor(composition, 'BOOTSTRAP.md')).toBe('filtered-session');
  });

  it('is no news when it is missing', async () => {
    await rm(scratch.path('BOOTSTRAP.md'));
    expect(reasonFor(await scratch.compose({ firstRunComplete: true }), 'BOOTSTRAP.md')).toBeUndefined();
  });

  describe('of all agents, and of one agent,', () => {
    beforeEach(async () => {
      await rm(scratch.path('BOOTSTRAP.md'));
      await scratch.writeState('BOOTSTRAP.md', 'for every agent');
      await scratch.writeState('agents/main/BOOTSTRAP.md', 'for this agent');
      const { stateDir } = scratch;
      scratch.register('global-files', createGlobalFilesHandler({ stateDir }), { stability: 'static' });
      const overrideDir = join(stateDir, 'agents');
      scratch.register('agent-overrides', createAgentOverridesHandler({ overrideDir }), { stability: 'static' });
    });

    it('is shown like the one of the workspace', async () => {
      const { text } = (await scratch.compose({ agentId: 'main' })).prompt;
      expect(text).toContain('for every agent');
      expect(text).toContain('for this agent');
    });

    it.each([
      ['after the first run', { firstRunComplete: true }, 'disabled'],
      ['a heartbeat', { sessionType: 'scheduled', trigger: 'heartbeat' }, 'filtered-session'],
      ['a scheduled run', { sessionType: 'scheduled', trigger: 'cron' }, 'filtered-session'],
      ['a pipeline', { sessionType: 'ci' }, 'filtered-session'],
    ] as [string, ScratchSituation, string][])('is left out like that one: %s', async (_, situation, reason) => {
      for (const own of [false, true]) {
        if (own) await scratch.write('BOOTSTRAP.md', 'the first run');
        const composition = await scratch.compose({ agentId: 'main', ...situation });
        expect(composition.prompt.text).not.toMatch(/for every agent|for this agent|the first run/);
        for (const path of ['BOOTSTRAP.md', 'agents/main/BOOTSTRAP.md'])
          expect(reasonFor(composition, join(scratch.stateDir, path))).toBe(reason);
      }
    });
  });

  it('cannot be brought back by a handler, but another file of that name can', async () => {
    scratch.on('brings', ({ bootstrapFiles }) => {
      const add = (path: string, content: string) =>
        bootstrapFiles.push({ name: 'BOOTSTRAP.md', path, content, missing: false });
      add(scratch.path('BOOTSTRAP.md'), 'brought back');
      add('guide/BOOTSTRAP.md', 'another guide');
    });
    const { prompt } = await scratch.compose({ firstRunComplete: true });
    expect(prompt.text).not.toContain('brought back');
    expect(prompt.text).toContain('another guide');
  });
});

describe('the heartbeat checklist', () => {
  const policy = { heartbeatGuidance: false };

  it('is left out where heartbeats are switched off', async () => {
    const composition = await scratch.compose({ policy });
    expect(has(composition, 'HEARTBEAT.md')).toBe(false);
    expect(reasonFor(composition, 'HEARTBEAT.md')).toBe('disabled');
  });

  it('is there for a heartbeat all the same, and where they are on', async () => {
    const beat: ScratchSituation = { policy, trigger: 'heartbeat', sessionType: 'scheduled' };
    expect(has(await scratch.compose(beat), 'HEARTBEAT.md')).toBe(true);
    expect(has(await scratch.compose(), 'HEARTBEAT.md')).toBe(true);
  });
});

describe('runs that read less', () => {
  it('read nothing when injection is off, but for what handlers add', async () => {
    scratch.on('adds', ({ bootstrapFiles }) => {
      bootstrapFiles.push({ name: 'EXTRA.md', path: 'EXTRA.md', content: 'extra', missing: false });
    });
    const composition = await scratch.compose({ policy: { contextMode: 'none' } });
    expect(composition.files.map(({ name }) => name)).toEqual(['EXTRA.md']);
    expect(reasonFor(composition, 'AGENTS.md')).toBe('disabled');
  });

  it('read nothing without handlers either', async () => {
    const composition = await scratch.compose({ policy: { contextMode: 'none' } });
    expect(composition.files).toEqual([]);
    expect(composition.prompt.text).not.toContain('# Project Context\n');
  });

  it('read the checklist only when they are lightweight heartbeats, and nothing when lightweight otherwise', async () => {
    const policy = { contextMode: 'lightweight' } as const;
    const beat = await scratch.compose({ policy, trigger: 'heartbeat', sessionType: 'scheduled' });
    expect(beat.files.map(({ name }) => name)).toEqual(['HEARTBEAT.md']);
    const other = await scratch.compose({ policy });
    expect(other.files).toEqual([]);
    expect(reasonFor(other, 'AGENTS.md')).toBe('disabled');
  });
});
