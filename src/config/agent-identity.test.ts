import { describe, expect, it } from 'vitest';
import { agentIdentityOf, mentionPatternsOf } from './agent-identity.ts';
import { configuredPort } from './gateway-port.ts';
import type { Config } from './schema.ts';

const CONFIG: Config = {
  agents: {
    list: [
      { id: 'plain' },
      { id: 'named', name: ' Pim ' },
      { id: 'known', name: 'Pim', identity: { name: 'Space Lobster (2)', emoji: '🦞' } },
      { id: 'own', identity: { name: 'Pim' }, groupChat: { mentionPatterns: ['hey'] } },
    ],
  },
};

describe('how an agent is called', () => {
  it('is its identity, else its name, else nothing', () => {
    expect(['plain', 'named', 'known', 'nobody'].map((id) => agentIdentityOf(CONFIG, id))).toEqual([
      {},
      { name: 'Pim' },
      { name: 'Space Lobster (2)', emoji: '🦞' },
      {},
    ]);
  });

  it('is what speaks to it in a group, unless patterns are configured', () => {
    expect(mentionPatternsOf(CONFIG, 'plain')).toEqual([]);
    expect(mentionPatternsOf(CONFIG, 'named')).toEqual([]);
    expect(mentionPatternsOf(CONFIG, 'known')).toEqual(['\\b@?Space\\s+Lobster\\s+\\(2\\)\\b', '🦞']);
    expect(mentionPatternsOf(CONFIG, 'own')).toEqual(['hey']);
    const common = { ...CONFIG, messages: { groupChat: { mentionPatterns: [] } } };
    expect(mentionPatternsOf(common, 'known')).toEqual([]);
  });
});

describe('the port of the gateway', () => {
  it.each([
    [{ OPENCLAW_GATEWAY_PORT: '19001' }, 19_001],
    [{ OPENCLAW_GATEWAY_PORT: ' ' }, 8_080],
    [{ OPENCLAW_GATEWAY_PORT: '70000' }, 8_080],
    [{ OPENCLAW_GATEWAY_PORT: 'x' }, 8_080],
    [{}, 8_080],
  ])('is that of the variable, else that of the configuration: %j', (variables, port) => {
    expect(configuredPort({ gateway: { port: 8_080 } }, variables)).toBe(port);
  });
});
