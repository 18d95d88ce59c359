import { describe, expect, it } from 'vitest';
import { routingSettingsOf } from './routing-settings.ts';

describe('routingSettingsOf', () => {
  it('keeps senders apart in an untouched home', () => {
    expect(routingSettingsOf({})).toEqual({
      agentIds: ['main'],
      defaultAgentId: 'main',
      bindings: [],
      dmScope: 'per-channel-peer',
      scope: 'per-sender',
      mainKey: undefined,
      identityLinks: {},
    });
  });

  it('reads bindings as OpenClaw homes have them', () => {
    const { bindings, agentIds, defaultAgentId } = routingSettingsOf({
      agents: { list: [{ id: 'Main' }, { id: 'support', default: true }] },
      bindings: [
        { agentId: 'Support', match: { channel: 'Discord', accountId: '*' } },
        { agentId: 'main', match: { channel: 'slack', peer: { kind: 'dm', id: ' U1 ' } } },
        {
          agentId: 'main',
          match: { channel: 'discord', accountId: 'Work Account', guildId: ' 7 ', roles: ['mods', ' '] },
        },
        { agentId: 'main', match: { channel: 'slack', teamId: 'T1', roles: [] } },
      ],
    });
    expect({ agentIds, defaultAgentId }).toEqual({ agentIds: ['main', 'support'], defaultAgentId: 'support' });
    expect(bindings).toEqual([
      { agentId: 'support', channel: 'discord', accountId: '*', roles: [], position: 1 },
      {
        agentId: 'main',
        channel: 'slack',
        accountId: 'default',
        peer: { kind: 'direct', id: 'U1' },
        roles: [],
        position: 2,
      },
      {
        agentId: 'main',
        channel: 'discord',
        accountId: 'work-account',
        space: { kind: 'guild', id: '7' },
        roles: ['mods'],
        position: 3,
      },
      {
        agentId: 'main',
        channel: 'slack',
        accountId: 'default',
        space: { kind: 'team', id: 'T1' },
        roles: [],
        position: 4,
      },
    ]);
  });
});
