import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Inbound, Peer, Surface } from '../protocol/inbound.ts';
import { anyString } from '../testkit/any-string.ts';
import { forAll } from '../testkit/for-all.ts';
import { resolveRoute } from './resolve-route.ts';
import type { Binding, RoutingSettings } from './routing-settings.ts';

const settings: RoutingSettings = {
  agentIds: ['main', 'support', 'sales'],
  defaultAgentId: 'main',
  bindings: [],
  dmScope: 'per-channel-peer',
  scope: 'per-sender',
  identityLinks: {},
};

function binding(agentId: string, channel: string, match: Partial<Binding> = {}): Omit<Binding, 'position'> {
  return { agentId, channel, accountId: 'default', roles: [], ...match };
}

function withBindings(...bindings: readonly Omit<Binding, 'position'>[]): RoutingSettings {
  return { ...settings, bindings: bindings.map((each, index) => ({ ...each, position: index + 1 })) };
}

function message(surface: Partial<Omit<Surface, 'peer'>> & { peer?: string | Peer } = {}, more: Partial<Inbound> = {}) {
  const { peer: peerText = 'direct:42', ...rest } = surface;
  const [kind, ...id] = typeof peerText === 'string' ? peerText.split(':') : [];
  const peer = typeof peerText === 'string' ? ({ kind, id: id.join(':') } as Peer) : peerText;
  const whole: Inbound = {
    surface: { channel: 'discord', accountId: 'default', peer, ...rest },
    sender: { id: '42' },
    text: 'hi',
    at: 0,
    ...more,
  };
  return whole;
}

const keyOf = (...args: Parameters<typeof resolveRoute>) => resolveRoute(...args).sessionKey;
const agentOf = (...args: Parameters<typeof resolveRoute>) => resolveRoute(...args).agentId;
const reasonOf = (...args: Parameters<typeof resolveRoute>) => resolveRoute(...args).rules.at(-1);

describe('the session of a message', () => {
  it('is one per sender and channel, unless it is asked for otherwise', () => {
    expect(keyOf(settings, message())).toBe('agent:main:discord:direct:42');
    expect(keyOf(settings, message({ channel: 'Slack', peer: 'direct:U7' }))).toBe('agent:main:slack:direct:u7');
    expect(reasonOf(settings, message())).toMatch(/per-channel-peer.*a session of their own on each channel/);
  });

  it.each([
    ['main', 'agent:main:main'],
    ['per-peer', 'agent:main:direct:42'],
    ['per-channel-peer', 'agent:main:discord:direct:42'],
    ['per-account-channel-peer', 'agent:main:discord:bot2:direct:42'],
  ] as const)('follows dmScope %s', (dmScope, key) => {
    const route = resolveRoute({ ...settings, dmScope }, message({ accountId: 'bot2' }));
    expect(route.sessionKey).toBe(key);
    expect(route.rules.at(-1)).toContain(`"${dmScope}"`);
  });

  it('is one per group and channel for all senders', () => {
    expect(keyOf(settings, message({ peer: 'group:G1' }, { sender: { id: '1' } }))).toBe('agent:main:discord:group:g1');
    expect(keyOf(settings, message({ peer: 'channel:C1' }, { sender: { id: '2' } }))).toBe(
      'agent:main:discord:channel:c1',
    );
  });

  it('is one per thread, beside that of its parent', () => {
    expect(resolveRoute(settings, message({ channel: 'slack', peer: 'channel:C1', threadId: 'T9' }))).toMatchObject({
      sessionKey: 'agent:main:slack:channel:c1:thread:t9',
      parentSessionKey: 'agent:main:slack:channel:c1',
    });
    expect(resolveRoute(settings, message({ peer: 'channel:C1', threadId: ' ' }))).not.toHaveProperty(
      'parentSessionKey',
    );
  });

  it('is written into the peer where OpenClaw writes it there, so that sessions can be brought along', () => {
    expect(resolveRoute(settings, message({ peer: 'channel:C1', threadId: 'T9' }))).toMatchObject({
      sessionKey: 'agent:main:discord:channel:t9',
      parentSessionKey: 'agent:main:discord:channel:c1',
    });
    const topic = message({ channel: 'telegram', peer: 'group:-100', threadId: '42' });
    expect(resolveRoute(settings, topic)).toMatchObject({
      sessionKey: 'agent:main:telegram:group:-100:topic:42',
      parentSessionKey: 'agent:main:telegram:group:-100',
    });
    const direct = message({ channel: 'telegram', peer: 'direct:7', threadId: '42' });
    expect(resolveRoute({ ...settings, dmScope: 'per-channel-peer' }, direct).sessionKey).toBe(
      'agent:main:telegram:direct:7:thread:42',
    );
  });

  it('is one for all direct messages under the global scope; groups stay apart', () => {
    const global: RoutingSettings = { ...settings, scope: 'global' };
    expect(keyOf(global, message())).toBe('global');
    expect(keyOf(global, message({ channel: 'web', peer: 'direct:bob' }))).toBe('global');
    expect(keyOf(global, message({ peer: 'group:g1' }))).toBe('agent:main:discord:group:g1');
  });

  it('is one for all addresses of a person who is linked', () => {
    const linked: RoutingSettings = {
      ...settings,
      dmScope: 'per-peer',
      identityLinks: { Ana: ['discord:42', 'slack:u7'] },
    };
    expect(keyOf(linked, message())).toBe('agent:main:direct:ana');
    expect(keyOf(linked, message({ channel: 'slack', peer: 'direct:U7' }))).toBe('agent:main:direct:ana');
    expect(keyOf(linked, message({ channel: 'slack', peer: 'direct:42' }))).toBe('agent:main:direct:42');
    expect(resolveRoute(linked, message()).rules.join(' ')).toContain('identityLinks');
  });

  it('uses the sender where a direct message names no peer', () => {
    expect(keyOf(settings, message({ peer: 'direct:' }, { sender: { id: '77' } }))).toBe(
      'agent:main:discord:direct:77',
    );
  });
});

describe('the agent of a message', () => {
  it('is the default one where no binding says otherwise', () => {
    expect(resolveRoute(settings, message())).toMatchObject({
      agentId: 'main',
      rules: ['No binding names the channel discord, so the default agent main answers.', expect.any(String)],
    });
  });

  it('is named by the most specific binding: peer, then account, then channel', () => {
    const bound = withBindings(
      binding('main', 'discord', { accountId: '*' }),
      binding('sales', 'discord'),
      binding('support', 'discord', { peer: { kind: 'direct', id: '42' } }),
    );
    expect(resolveRoute(bound, message())).toMatchObject({
      agentId: 'support',
      sessionKey: 'agent:support:discord:direct:42',
      rules: ['Binding 3 names the direct 42 on discord, so the agent support answers.', expect.any(String)],
    });
    expect(resolveRoute(bound, message({ peer: 'direct:7' })).rules.slice(0, 2)).toEqual([
      'No binding names the direct 7 on discord.',
      'Binding 2 names the account default of discord, so the agent sales answers.',
    ]);
    expect(agentOf(bound, message({ accountId: 'other' }))).toBe('main');
    expect(resolveRoute(bound, message({ accountId: 'other' })).rules[2]).toBe(
      'Binding 1 names every account of discord, so the agent main answers.',
    );
  });

  it('is named by the first of two equal bindings', () => {
    expect(agentOf(withBindings(binding('sales', 'discord'), binding('support', 'discord')), message())).toBe('sales');
  });

  it('is bound by the account that the binding names, or the default one', () => {
    const bound = withBindings(binding('support', 'discord', { accountId: 'bot2' }), binding('sales', 'slack'));
    expect(agentOf(bound, message({ accountId: 'BOT2' }))).toBe('support');
    expect(agentOf(bound, message())).toBe('main');
    expect(agentOf(bound, message({ channel: 'slack' }))).toBe('sales');
    expect(agentOf(bound, message({ channel: 'slack', accountId: '' }))).toBe('sales');
    expect(agentOf(bound, message({ channel: 'slack', accountId: 'bot2' }))).toBe('main');
  });

  it('does not care whether a place is called a group or a channel, but tells a person from a place', () => {
    const bound = withBindings(binding('support', 'discord', { accountId: '*', peer: { kind: 'group', id: 'C1' } }));
    expect(agentOf(bound, message({ peer: 'channel:C1' }))).toBe('support');
    expect(agentOf(bound, message({ peer: 'group:C1', threadId: 'T1' }))).toBe('support');
    expect(agentOf(bound, message({ peer: 'direct:C1' }))).toBe('main');
  });

  it('is the default one where the binding names an agent that does not exist, and says so', () => {
    const bound = withBindings(binding('gone', 'discord'));
    expect(agentOf(bound, message())).toBe('main');
    expect(resolveRoute(bound, message()).rules.join(' ')).toContain('the agent gone, which does not exist');
  });

  describe('by the server, the roles and the team', () => {
    const guild = { kind: 'guild', id: 'G1' } as const;
    const inGuild = (senderRoles: readonly string[] = [], id = 'G1') =>
      message({ peer: 'channel:C1', threadId: 'T9' }, { space: { id, senderRoles } });

    it('is that of the most specific one: thread, place, server and role, server, account, channel', () => {
      const all = [
        binding('a-channel', 'discord', { accountId: '*' }),
        binding('b-account', 'discord'),
        binding('c-guild', 'discord', { space: guild }),
        binding('d-roles', 'discord', { space: guild, roles: ['mods', 'staff'] }),
        binding('e-place', 'discord', { peer: { kind: 'channel', id: 'C1' } }),
        binding('f-thread', 'discord', { peer: { kind: 'channel', id: 'T9' } }),
      ];
      const agentIds = ['main', ...all.map(({ agentId }) => agentId)];
      const chosen = all.map((_, index) => {
        const bound = withBindings(...all.slice(0, index + 1));
        return agentOf({ ...bound, agentIds }, inGuild(['staff']));
      });
      expect(chosen).toEqual(all.map(({ agentId }) => agentId));
    });

    it('is none whose server or role is another one, and that is said', () => {
      const bound = withBindings(
        binding('support', 'discord', { space: guild }),
        binding('sales', 'discord', { space: guild, roles: ['mods'], peer: { kind: 'channel', id: 'C1' } }),
      );
      expect(agentOf(bound, inGuild([], 'G2'))).toBe('main');
      expect(agentOf(bound, message({ peer: 'channel:C1' }))).toBe('main');
      expect(agentOf(bound, inGuild())).toBe('support');
      expect(agentOf(bound, inGuild(['mods']))).toBe('sales');
      expect(resolveRoute(bound, message({ peer: 'channel:C1' })).rules.slice(0, 2)).toEqual([
        'Binding 1 (to support) does not apply: it asks for the server G1.',
        'Binding 2 (to sales) does not apply: it asks for the server G1 and a sender with the role mods.',
      ]);
      expect(resolveRoute(bound, inGuild()).rules).toContain(
        'Binding 1 names the server G1, so the agent support answers.',
      );
    });

    it('knows teams of Slack and topics of Telegram', () => {
      const team = withBindings(binding('support', 'slack', { space: { kind: 'team', id: 'T1' } }));
      expect(agentOf(team, message({ channel: 'slack' }, { space: { id: 'T1' } }))).toBe('support');
      expect(agentOf(team, message({ channel: 'slack' }, { space: { id: 'T2' } }))).toBe('main');
      const topic = withBindings(binding('sales', 'telegram', { peer: { kind: 'group', id: '-100:topic:7' } }));
      const inTopic = (threadId: string) => message({ channel: 'telegram', peer: 'group:-100', threadId });
      expect([agentOf(topic, inTopic('7')), agentOf(topic, inTopic('8'))]).toEqual(['sales', 'main']);
    });
  });

  it('may be asked for by the message itself', () => {
    const bound = withBindings(binding('sales', 'discord'));
    expect(resolveRoute(bound, message({}, { agentId: 'Support' }))).toMatchObject({
      agentId: 'support',
      sessionKey: 'agent:support:discord:direct:42',
    });
    expect(() => resolveRoute(bound, message({}, { agentId: 'suport' }))).toThrow(
      'There is no agent "suport". Did you mean "support"?',
    );
  });
});

describe('a message that asks for a session by its key', () => {
  const asking = (sessionKey: string, agentId?: string) => message({}, { sessionKey, agentId });

  it.each([
    ['main', 'agent:main:main'],
    ['Notes', 'agent:main:notes'],
    ['agent:sales:web:direct:Ana', 'agent:sales:web:direct:ana'],
    [' agent:support:main ', 'agent:support:main'],
    ['subagent:x', 'agent:main:subagent:x'],
  ])('gets %j as %s', (asked, key) => {
    expect(keyOf(settings, asking(asked))).toBe(key);
  });

  it('reaches the agent that the key names, else the one it asks for, else the bound one', () => {
    const bound = withBindings(binding('sales', 'discord'));
    expect(agentOf(bound, asking('agent:support:main', 'main'))).toBe('support');
    expect(agentOf(bound, asking('notes', 'support'))).toBe('support');
    expect(agentOf(bound, asking('notes'))).toBe('sales');
    expect(reasonOf(bound, asking('notes'))).toBe(
      'The message asks for the session notes by its key, which goes before everything else.',
    );
  });

  it('follows the configured name of the main session', () => {
    expect(keyOf({ ...settings, mainKey: 'Home' }, asking('main'))).toBe('agent:main:home');
  });

  it('counts as not asking when the key is blank', () => {
    expect(keyOf(settings, asking('  '))).toBe('agent:main:discord:direct:42');
  });

  it('is refused when there is no such agent, or when it is not a key', () => {
    expect(() => resolveRoute(settings, asking('agent:nobody:main'))).toThrow('There is no agent "nobody"');
    expect(() => resolveRoute(settings, asking('agent:'))).toThrow('"agent:" cannot be a session key');
    expect(() => resolveRoute(settings, asking('AGENT:main'))).toThrow('cannot be a session key');
    expect(() => resolveRoute(settings, asking('x'.repeat(600)))).toThrow('longer than 512');
    expect(() => resolveRoute(settings, asking('a\u001b[2Jb'))).toThrow('control characters');
    expect(() => resolveRoute(settings, asking('a\ud800'))).toThrow('control characters');
  });

  it('may name the global session where there is one', () => {
    expect(keyOf({ ...settings, scope: 'global' }, asking('global'))).toBe('global');
    expect(keyOf(settings, asking('global'))).toBe('agent:main:global');
  });
});

it('always gives a known agent, a session and a reason for anything that platforms write', () => {
  const text = fc.oneof(anyString(), fc.constantFrom('', '__proto__', '*', 'a:b', 'agent:main:main'));
  const surface = fc.record({
    channel: text,
    accountId: text,
    peer: fc.record({ kind: fc.constantFrom('direct', 'group', 'channel'), id: text }),
    threadId: fc.option(text, { nil: undefined }),
  });
  const bound = withBindings(binding('sales', 'a', { accountId: '*' }), binding('support', 'unknown'));
  forAll([surface, text], (place, sender) => {
    const inbound = { ...message(), surface: place as Surface, sender: { id: sender } };
    const route = resolveRoute(bound, inbound);
    expect(bound.agentIds).toContain(route.agentId);
    expect(route.sessionKey.startsWith(`agent:${route.agentId}:`)).toBe(true);
    expect(route.rules.at(-1)).toMatch(/\.$/);
    expect(resolveRoute(bound, inbound)).toEqual(route);
  });
});
