import { describe, expect, it } from 'vitest';
import { shouldIncludeHeartbeatGuidance } from './heartbeat-guidance.ts';
import type { Config } from './schema.ts';

const every = (value: unknown) =>
  shouldIncludeHeartbeatGuidance({ config: { agents: { defaults: { heartbeat: { every: value } } } } as Config });

describe('heartbeat guidance', () => {
  it('is given to the default agent only', () => {
    expect(shouldIncludeHeartbeatGuidance({})).toBe(true);
    expect(shouldIncludeHeartbeatGuidance({ config: {}, agentId: 'MAIN' })).toBe(true);
    expect(shouldIncludeHeartbeatGuidance({ config: {}, agentId: 'other' })).toBe(false);
    expect(shouldIncludeHeartbeatGuidance({ agentId: 'a', defaultAgentId: 'a' })).toBe(true);
  });

  it.each(['5', '30m', '1h30m', '500ms', ' 2H ', '0.5h'])('is given when the heart beats every %j', (value) => {
    expect(every(value)).toBe(true);
  });

  it.each([
    '0',
    '0m',
    '',
    '  ',
    'bogus',
    '5 minutes',
    '1h30',
    '-5m',
    5,
    {},
  ])('is not given when it beats every %j', (value) => {
    expect(every(value)).toBe(false);
  });

  it('is not given when the section is turned off, for one agent or for all', () => {
    const off = { heartbeat: { includeSystemPromptSection: false } };
    expect(shouldIncludeHeartbeatGuidance({ config: { agents: { defaults: off } } })).toBe(false);
    expect(shouldIncludeHeartbeatGuidance({ config: { agents: { list: [{ id: 'a', ...off }] } } })).toBe(false);
    const on = { agents: { defaults: off, list: [{ id: 'a', heartbeat: { includeSystemPromptSection: true } }] } };
    expect(shouldIncludeHeartbeatGuidance({ config: on })).toBe(true);
  });

  it('is not given when only another agent has a heartbeat of its own', () => {
    const list = [{ id: 'a' }, { id: 'b', heartbeat: { every: '5m' } }];
    expect(shouldIncludeHeartbeatGuidance({ config: { agents: { list } } })).toBe(false);
  });
});
