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
      sessionPlace({ sessionKey: key, agentId: 'main', type: 'interactive' }),
      sessionPlace({ sessionKey: `${key}0`, agentId: 'main', type: 'interactive' }),
    ];
    expect(places.map(({ surface }) => surface)).toEqual([
      'b1.main',
      'b1.ops_eu',
      'b1.n7f',
      expect.stringMatching(/^session\.[0-9a-f]{32}$/),
      expect.stringMatching(/^session\.[0-9a-f]{32}$/),
    ]);
    expect(new Set(places.map(({ surface }) => surface)).size).toBe(5);
  });

  it('keep the surface under which a conversation began on a page', () => {
    const sessionKey = 'agent:main:web:direct:b1.n7f';
    expect(sessionPlace({ sessionKey, agentId: 'main', type: 'interactive' })).toMatchObject({
      sessionKey,
      surface: 'b1.n7f',
    });
  });

  it('are closed for the sessions of subagents', () => {
    const { closed } = sessionPlace({ sessionKey: key, agentId: 'main', type: 'subagent' });
    expect(closed).toMatch(/subagent/);
  });

  it('begin with the default agent, or with none', () => {
    expect(defaultAgent(agents)?.agentId).toBe('ops/eu');
    expect(defaultAgent([])).toBeUndefined();
  });
});
