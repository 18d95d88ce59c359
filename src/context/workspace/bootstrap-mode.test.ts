import { describe, expect, it } from 'vitest';
import { type BootstrapModeFacts, belongsInFirstRun, resolveBootstrapMode } from './bootstrap-mode.ts';

const EVERYTHING: BootstrapModeFacts = {
  bootstrapPending: true,
  runKind: 'default',
  isPrimaryRun: true,
  isInteractiveUserFacing: true,
  hasBootstrapFileAccess: true,
  isCanonicalWorkspace: true,
};

describe('resolveBootstrapMode', () => {
  it.each<[Partial<BootstrapModeFacts>, string]>([
    [{}, 'full'],
    [{ runKind: undefined }, 'full'],
    [{ bootstrapPending: false }, 'none'],
    [{ runKind: 'heartbeat' }, 'none'],
    [{ runKind: 'cron' }, 'none'],
    [{ isPrimaryRun: false }, 'none'],
    [{ isInteractiveUserFacing: false }, 'none'],
    [{ hasBootstrapFileAccess: false }, 'limited'],
    [{ isCanonicalWorkspace: false }, 'limited'],
    [{ isCanonicalWorkspace: false, isPrimaryRun: false }, 'none'],
  ])('with %j is %s', (difference, mode) => {
    expect(resolveBootstrapMode({ ...EVERYTHING, ...difference })).toBe(mode);
  });
});

describe('BOOTSTRAP.md', () => {
  it('belongs in every interactive prompt of the agent itself until the first run is complete', () => {
    const facts = { sessionType: 'interactive', sessionKey: 'agent:main:telegram:direct:7' } as const;
    expect(belongsInFirstRun({ ...facts, status: 'pending' })).toBe(true);
    expect(belongsInFirstRun({ ...facts, status: 'pending', trigger: 'user' })).toBe(true);
    expect(belongsInFirstRun({ ...facts, status: 'complete' })).toBe(false);
  });

  it('is kept from subagents, other programs, schedules and pipelines', () => {
    const pending = { status: 'pending' } as const;
    expect(belongsInFirstRun({ ...pending, sessionType: 'interactive', sessionKey: 'agent:main:acp:1' })).toBe(false);
    expect(belongsInFirstRun({ ...pending, sessionType: 'subagent', sessionKey: 'agent:main:subagent:1' })).toBe(false);
    expect(belongsInFirstRun({ ...pending, sessionType: 'interactive', trigger: 'spawn' })).toBe(false);
    expect(belongsInFirstRun({ ...pending, sessionType: 'scheduled', trigger: 'heartbeat' })).toBe(false);
    expect(belongsInFirstRun({ ...pending, sessionType: 'ci' })).toBe(false);
  });
});
