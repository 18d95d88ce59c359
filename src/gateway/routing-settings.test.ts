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
        { agentId: 'main', match: { channel: 'slack', accountId: 'Work Account', guildId: '7', roles: [] } },
      ],
    });
    expect({ agentIds, defaultAgentId }).toEqual({ agentIds: ['main', 'support'], defaultAgentId: 'support' });
    expect(bindings).toEqual([
      { agentId: 'support', channel: 'discord', accountId: '*', position: 1, unchecked: [] },
      {
        agentId: 'main',
        channel: 'slack',
        accountId: 'default',
        peer: { kind: 'direct', id: 'U1' },
        position: 2,
        unchecked: [],
      },
      { agentId: 'main', channel: 'slack', accountId: 'work-account', position: 3, unchecked: ['guildId'] },
    ]);
  });
});
