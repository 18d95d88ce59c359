import { describe, expect, it } from 'vitest';
import type { OpenSession } from './client/gateway-client.ts';
import { firstPlace, listPlaces } from './place.ts';

const agents = [
  { agentId: 'main', isDefault: false },
  { agentId: 'ops/eu', isDefault: true },
];

function session(sessionKey: string, channel: string, id: string): OpenSession {
  return { sessionKey, agentId: 'main', surface: { channel, accountId: 'default', peer: { kind: 'direct', id } } };
}

describe('the places of this browser', () => {
  const sessions = [
    session('agent:main:web:direct:B1.main', 'web', 'B1.MAIN'),
    session('agent:main:web:direct:other', 'web', 'other'),
    session('agent:main:cli:direct:b1.main', 'cli', 'b1.main'),
  ];
  const places = listPlaces('b1', agents, sessions);

  it('are one for each agent, and the sessions that were begun elsewhere', () => {
    expect(places.map(({ id, surface }) => [id, surface])).toEqual([
      ['agent:main', 'b1.main'],
      ['agent:ops/eu', 'b1.ops_eu'],
      ['session:agent:main:web:direct:other', expect.stringMatching(/^b1\.s[0-9a-f]{8}$/)],
      ['session:agent:main:cli:direct:b1.main', expect.stringMatching(/^b1\.s[0-9a-f]{8}$/)],
    ]);
    expect(new Set(places.map(({ surface }) => surface)).size).toBe(4);
  });

  it.each([
    ['the last one', 'agent:main', 'agent:main'],
    ['the default agent when the last one is gone', 'session:gone', 'agent:ops/eu'],
    ['the default agent the first time', undefined, 'agent:ops/eu'],
  ])('begin with %s', (_, last, first) => {
    expect(firstPlace(places, agents, last)?.id).toBe(first);
  });

  it('are none where there is no agent', () => {
    expect(firstPlace(listPlaces('b1', [], []), [], undefined)).toBeUndefined();
  });
});
