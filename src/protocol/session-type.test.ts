import { describe, expect, it } from 'vitest';
import { resolveSessionType } from './session-type.ts';

describe('the type of a session', () => {
  it('is interactive when nothing says otherwise', () => {
    expect(resolveSessionType({})).toBe('interactive');
    expect(resolveSessionType({ sessionKey: 'agent:main:main', trigger: 'user', ci: false })).toBe('interactive');
    expect(resolveSessionType({ sessionKey: 'agent:main:discord:channel:1', trigger: 'manual' })).toBe('interactive');
  });

  it('is subagent for a subagent key or a spawned run', () => {
    expect(resolveSessionType({ sessionKey: 'agent:main:subagent:x' })).toBe('subagent');
    expect(resolveSessionType({ sessionKey: 'agent:main:main', trigger: 'spawn' })).toBe('subagent');
  });

  it('is scheduled for cron and heartbeat, by key or by trigger', () => {
    expect(resolveSessionType({ sessionKey: 'agent:main:cron:job' })).toBe('scheduled');
    expect(resolveSessionType({ sessionKey: 'agent:main:main:heartbeat' })).toBe('scheduled');
    expect(resolveSessionType({ trigger: 'cron' })).toBe('scheduled');
    expect(resolveSessionType({ trigger: 'heartbeat' })).toBe('scheduled');
  });

  it('is ci in a pipeline, but only for what would be interactive', () => {
    expect(resolveSessionType({ sessionKey: 'agent:main:main', ci: true })).toBe('ci');
    expect(resolveSessionType({ sessionKey: 'agent:main:subagent:x', ci: true })).toBe('subagent');
    expect(resolveSessionType({ trigger: 'cron', ci: true })).toBe('scheduled');
  });
});
