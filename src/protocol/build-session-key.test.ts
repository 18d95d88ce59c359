import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../testkit/for-all.ts';
import {
  buildAgentMainSessionKey,
  buildAgentPeerSessionKey,
  buildGroupHistoryKey,
  resolveEventSessionKey,
  resolveThreadSessionKeys,
  resolveWakeTarget,
  toAgentStoreSessionKey,
} from './build-session-key.ts';
import { isSharedSurfaceSessionKey, parseSessionKey } from './session-key.ts';

describe('the key of a direct message', () => {
  const ana = { agentId: 'Main', channel: 'Telegram', accountId: 'Biz Acct', peerId: ' AnA ' } as const;

  it('is the main session unless people are kept apart', () => {
    expect(buildAgentPeerSessionKey(ana)).toBe('agent:main:main');
    expect(buildAgentPeerSessionKey({ ...ana, dmScope: 'main', mainKey: 'Home' })).toBe('agent:main:home');
  });

  it('says as much of the sender as the scope asks for', () => {
    expect(buildAgentPeerSessionKey({ ...ana, dmScope: 'per-peer' })).toBe('agent:main:direct:ana');
    expect(buildAgentPeerSessionKey({ ...ana, dmScope: 'per-channel-peer' })).toBe('agent:main:telegram:direct:ana');
    expect(buildAgentPeerSessionKey({ ...ana, dmScope: 'per-account-channel-peer' })).toBe(
      'agent:main:telegram:biz-acct:direct:ana',
    );
  });

  it('falls back to the main session when the sender is unknown', () => {
    expect(buildAgentPeerSessionKey({ ...ana, peerId: ' ', dmScope: 'per-peer' })).toBe('agent:main:main');
    expect(buildAgentPeerSessionKey({ ...ana, peerId: null, dmScope: 'per-account-channel-peer' })).toBe(
      'agent:main:main',
    );
  });

  it('is one key for one person who writes from several places', () => {
    const identityLinks = { '': ['ana'], ' Ana ': ['telegram:111', 'Discord:222', '333'] };
    const of = (channel: string, peerId: string) =>
      buildAgentPeerSessionKey({ agentId: 'main', channel, peerId, dmScope: 'per-peer', identityLinks });
    expect([of('telegram', '111'), of('discord', '222'), of('slack', '333')]).toEqual(
      Array(3).fill('agent:main:direct:ana'),
    );
    expect(of('discord', '111')).toBe('agent:main:direct:111');
    expect(of('slack', 'ana')).toBe('agent:main:direct:ana');
  });
});

describe('the key of a group or channel', () => {
  it('carries platform, kind and id, and unknown where one is missing', () => {
    const room = { agentId: 'main', channel: 'Slack', peerKind: 'channel', peerId: 'C0ABC' } as const;
    expect(buildAgentPeerSessionKey(room)).toBe('agent:main:slack:channel:c0abc');
    expect(buildAgentPeerSessionKey({ ...room, channel: '', peerId: '' })).toBe('agent:main:unknown:channel:unknown');
  });

  it('keeps the case of Signal group ids', () => {
    const group = { agentId: 'main', channel: 'Signal', peerKind: 'group', peerId: 'AbC=' } as const;
    expect(buildAgentPeerSessionKey(group)).toBe('agent:main:signal:group:AbC=');
    expect(buildAgentPeerSessionKey({ ...group, peerKind: 'channel' })).toBe('agent:main:signal:channel:abc=');
    expect(buildGroupHistoryKey({ ...group, accountId: 'A' })).toBe('signal:a:group:AbC=');
  });

  it('is always read back as a shared surface, threads included', () => {
    const channels = fc.constantFrom('slack', 'Telegram', 'signal', 'my chat', '');
    forAll([channels, fc.constantFrom('group', 'channel'), fc.string(), fc.string()], (channel, peerKind, ...ids) => {
      const [peerId, threadId] = ids;
      const baseSessionKey = buildAgentPeerSessionKey({ agentId: 'main', channel, peerKind, peerId });
      const { sessionKey } = resolveThreadSessionKeys({ baseSessionKey, threadId });
      expect([baseSessionKey, sessionKey].map(isSharedSurfaceSessionKey)).toEqual([true, true]);
    });
  });
});

describe('the key of a thread', () => {
  const baseSessionKey = 'agent:main:slack:channel:c1';

  it('hangs below its channel and knows its parent', () => {
    const keys = resolveThreadSessionKeys({ baseSessionKey, threadId: ' AbC ', parentSessionKey: baseSessionKey });
    expect(keys).toEqual({ sessionKey: `${baseSessionKey}:thread:abc`, parentSessionKey: baseSessionKey });
    expect(parseSessionKey(keys.sessionKey)).toMatchObject({ surface: 'channel', peerId: 'c1', threadId: 'abc' });
  });

  it('is the base key, without a parent, when there is no thread', () => {
    expect(resolveThreadSessionKeys({ baseSessionKey, threadId: ' ', parentSessionKey: 'p' })).toEqual({
      sessionKey: baseSessionKey,
    });
  });

  it('keeps the base key where the platform gives threads a channel id of their own', () => {
    expect(
      resolveThreadSessionKeys({ baseSessionKey, threadId: 'T', useSuffix: false, parentSessionKey: 'p' }),
    ).toEqual({ sessionKey: baseSessionKey, parentSessionKey: 'p' });
  });

  it('keeps the case of the thread id where a platform asks for it', () => {
    const keys = resolveThreadSessionKeys({ baseSessionKey, threadId: '$Ev', normalizeThreadId: (id) => id });
    expect(keys.sessionKey).toBe(`${baseSessionKey}:thread:$Ev`);
  });
});

describe('the stored key behind a request', () => {
  it('is the main session when the request names none', () => {
    expect(toAgentStoreSessionKey({ agentId: 'work' })).toBe('agent:work:main');
    expect(toAgentStoreSessionKey({ agentId: 'work', requestKey: 'MAIN', mainKey: 'Home' })).toBe('agent:work:home');
    expect(buildAgentMainSessionKey({ agentId: 'a/b', mainKey: 'x:y' })).toBe('agent:a-b:x:y');
  });

  it('belongs to the asking agent unless the request names another', () => {
    expect(toAgentStoreSessionKey({ agentId: 'work', requestKey: 'Discord:Channel:ABC' })).toBe(
      'agent:work:discord:channel:abc',
    );
    expect(toAgentStoreSessionKey({ agentId: 'work', requestKey: 'AGENT::Other:Foo' })).toBe('agent:other:foo');
    expect(toAgentStoreSessionKey({ agentId: 'work', requestKey: 'Agent:other' })).toBe('agent:other');
  });
});

describe('events of a session', () => {
  const run = 'agent:work:cron:job:run:1';

  it('stay with their session', () => {
    expect(resolveEventSessionKey('agent:work:cron:job')).toBe('agent:work:cron:job');
    expect(resolveWakeTarget('agent:work:main')).toEqual({ sessionKey: 'agent:work:main' });
  });

  it('of a cron run go to the main session, or to the global one', () => {
    expect(resolveEventSessionKey(run, 'home')).toBe('agent:work:home');
    expect(resolveWakeTarget(run, 'home')).toEqual({ sessionKey: 'agent:work:home' });
    expect(resolveEventSessionKey(run, 'home', 'global')).toBe('global');
    expect(resolveWakeTarget(run, 'home', 'global')).toEqual({ agentId: 'work' });
  });

  it('of a key without an agent name no wake target', () => {
    expect(resolveEventSessionKey('cron:j:run:1')).toBe('cron:j:run:1');
    expect(resolveWakeTarget('cron:j:run:1')).toEqual({});
  });
});
