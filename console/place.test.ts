import { describe, expect, it } from 'vitest';
import { agentPlace, defaultAgent, newPlace, sessionPlace } from './place.ts';

const agents = [
  { agentId: 'main', isDefault: false },
  { agentId: 'ops/eu', isDefault: true },
] as const;

describe('the places of this browser', () => {
  const key = 'agent:main:telegram:direct:1';

  it('have a surface each, whose name begins with the name of the browser', () => {
    const places = [
      agentPlace('b1', 'main'),
      agentPlace('b1', 'ops/eu'),
      newPlace('b1', 'main', '7f'),
      sessionPlace('b1', { sessionKey: key, agentId: 'main', type: 'interactive' }, undefined),
      sessionPlace('b1', { sessionKey: `${key}0`, agentId: 'main', type: 'interactive' }, undefined),
    ];
    expect(places.map(({ surface }) => surface)).toEqual([
      'b1.main',
      'b1.ops_eu',
      'b1.n7f',
      expect.stringMatching(/^b1\.s[0-9a-f]{8}$/),
      expect.stringMatching(/^b1\.s[0-9a-f]{8}$/),
    ]);
    expect(new Set(places.map(({ surface }) => surface)).size).toBe(5);
  });

  it('keep the surface under which this browser began a conversation', () => {
    expect(sessionPlace('b1', { sessionKey: key, agentId: 'main', type: 'interactive' }, 'b1.n7f')).toMatchObject({
      sessionKey: key,
      surface: 'b1.n7f',
    });
  });

  it('are closed for the sessions of subagents', () => {
    const { closed } = sessionPlace('b1', { sessionKey: key, agentId: 'main', type: 'subagent' }, undefined);
    expect(closed).toMatch(/subagent/);
  });

  it('begin with the default agent, or with none', () => {
    expect(defaultAgent(agents)?.agentId).toBe('ops/eu');
    expect(defaultAgent([])).toBeUndefined();
  });
});
