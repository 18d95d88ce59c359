import { describe, expect, it } from 'vitest';
import { agentPlace, defaultAgent, newPlace, sessionPlace } from './place.ts';

const agents = [
  { agentId: 'main', isDefault: false },
  { agentId: 'ops/eu', isDefault: true },
] as const;

describe('the places of this page', () => {
  const key = 'agent:main:telegram:direct:1';

  it('have a surface each, of this browser until the conversation has begun', () => {
    const places = [
      agentPlace('b1', 'main'),
      agentPlace('b1', 'ops/eu'),
      newPlace('b1', 'main', '7f'),
      sessionPlace({ sessionKey: key, agentId: 'main', type: 'interactive', pageSurface: 'session.1' }),
      sessionPlace({ sessionKey: `${key}0`, agentId: 'main', type: 'interactive', pageSurface: 'session.2' }),
    ];
    expect(places.map(({ surface }) => surface)).toEqual(['b1.main', 'b1.ops_eu', 'b1.n7f', 'session.1', 'session.2']);
    expect(new Set(places.map(({ surface }) => surface)).size).toBe(5);
  });

  it('are closed for the sessions of subagents', () => {
    const { closed } = sessionPlace({ sessionKey: key, agentId: 'main', type: 'subagent', pageSurface: 'session.1' });
    expect(closed).toMatch(/subagent/);
  });

  it('begin with the default agent, or with none', () => {
    expect(defaultAgent(agents)?.agentId).toBe('ops/eu');
    expect(defaultAgent([])).toBeUndefined();
  });
});
